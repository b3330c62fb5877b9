import { migrate, undoLast } from './migrate.js';

const url = process.env['DATABASE_URL'];
if (!url) {
  console.error('DATABASE_URL is not set. Give the address of the database to migrate, e.g. postgres://user:password@host:5432/tributary');
  process.exit(2);
}
try {
  if (process.argv[2] === 'down') console.log(`undone: ${(await undoLast(url)) ?? 'nothing, no step has run'}`);
  else console.log(`migrated: ${(await migrate(url)).join(', ') || 'nothing, already the newest'}`);
} catch (error) {
  console.error(`Migration failed: ${(error as Error).message}. Check DATABASE_URL and the rights of its user.`);
  process.exit(1);
}

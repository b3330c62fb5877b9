export { migrations } from './steps.js';
export { migrate, undoLast } from './migrate.js';
export { readSchema } from './read-schema.js';

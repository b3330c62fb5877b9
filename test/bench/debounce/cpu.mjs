import { readFileSync } from 'node:fs';

/** Clock ticks of a second, on every Linux that Node runs on. */
const TICKS = 100;

/**
 * Seconds of CPU that this process and the server's processes behind the pool have used so far. Unlike time on the clock it does not grow
 * with what else the machine does. NaN where the server is elsewhere, or the system does not say.
 */
export async function cpuSeconds(pool) {
  const { rows } = await pool.query('select pid from pg_stat_activity where datname = current_database()');
  try {
    const server = rows.reduce((sum, { pid }) => sum + secondsOf(pid), 0);
    const { user, system } = process.cpuUsage();
    return server + (user + system) / 1e6;
  } catch {
    return Number.NaN;
  }
}

function secondsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1');
  if (!/postgres/.test(fields.slice(0, fields.lastIndexOf(')')))) throw new Error('another process has that number');
  // After the name in brackets: state, and eleven fields later the time in user mode, then that in the kernel.
  const after = fields.slice(fields.lastIndexOf(')') + 2).split(' ');
  return (Number(after[11]) + Number(after[12])) / TICKS;
}

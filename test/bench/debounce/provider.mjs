// The provider of this benchmark: one activity document a person, and a count of the calls. It shares the machine, so it does little.
import { createServer } from 'node:http';

export async function startProvider() {
  const calls = { count: 0 };
  const server = createServer((request, response) => {
    calls.count += 1;
    const id = decodeURIComponent(request.url.split('/').at(-1));
    const day = {
      id,
      day: '2026-09-14',
      timestamp: '2026-09-14T04:00:00+02:00',
      steps: 11_342,
      active_calories: 521,
      total_calories: 2_402,
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...day, equivalent_walking_distance: 9_210, score: 82 }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    calls,
    url: `http://127.0.0.1:${server.address().port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

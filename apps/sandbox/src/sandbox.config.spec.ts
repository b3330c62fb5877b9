import { describe, expect, it } from '@jest/globals';
import { sandboxConfig } from './sandbox.config.js';

describe('the environment of the sandbox', () => {
  it('listens on 127.0.0.1:4104 when nothing is said', () => {
    expect(sandboxConfig({})).toEqual({ host: '127.0.0.1', port: 4104, logLevel: 'info' });
  });

  it('names every faulty variable at once', () => {
    expect(() => sandboxConfig({ SANDBOX_PORT: '70000', LOG_LEVEL: 'loud' })).toThrow(
      /SANDBOX_PORT: expected a port[\s\S]*LOG_LEVEL: expected one of/,
    );
  });
});

import { type BackendFactory, PostgresConnection, type PostgresConnectionOptions, PostgresQueueBackend } from 'bullmq';

/** Between two tries to reach a PostgreSQL that refused; doubles up to the longest. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
/** Before a worker asks for its next ticket again after PostgreSQL refused. */
const REFUSED_PAUSE_MS = 500;

/**
 * BullMQ's backend on PostgreSQL, able to bear a server that is just stopping or starting. BullMQ 6.7 remembers a first connect that
 * failed and hands that failure to every later call, so that a worker which starts in such a moment never works; and it takes any
 * refusal but ECONNREFUSED ("the database system is starting up" is none) for a fault that is worth an immediate retry, which makes
 * a busy loop and a log line for each turn.
 */
export const createPatientPostgresBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (name, opts, made) =>
  // A worker's listening connection bears the name of its queue, as BullMQ's own factory has it; `getWorkers` finds it by that.
  new PatientBackend(new PatientConnection(opts.connection), name, opts, true, made?.withBlockingConnection ? name : undefined);

class PatientConnection extends PostgresConnection {
  #ready: Promise<void> | undefined;
  #ended = false;

  override waitUntilReady(): Promise<void> {
    this.#ready ??= this.#reach();
    return this.#ready;
  }

  override close(): Promise<void> {
    this.#ended = true;
    return super.close();
  }

  override disconnect(): Promise<void> {
    this.#ended = true;
    return super.disconnect();
  }

  async #reach(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await super.waitUntilReady();
      } catch (error) {
        if (this.#ended) throw error;
        Object.assign(this, { readyPromise: undefined }); // where BullMQ remembers the failure
        if (this.listenerCount('error') > 0) this.emit('error', error);
        await passed(pause);
        if (this.#ended) throw error;
      }
    }
  }
}

class PatientBackend extends PostgresQueueBackend {
  override async moveToActive(
    ...given: Parameters<PostgresQueueBackend['moveToActive']>
  ): ReturnType<PostgresQueueBackend['moveToActive']> {
    return unhurried(() => super.moveToActive(...given));
  }

  override async waitForJob(...given: Parameters<PostgresQueueBackend['waitForJob']>): ReturnType<PostgresQueueBackend['waitForJob']> {
    return unhurried(() => super.waitForJob(...given));
  }
}

async function unhurried<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    await passed(REFUSED_PAUSE_MS);
    throw error;
  }
}

const passed = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });

import {
  Controller,
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Post,
  type Provider,
  Req,
  Res,
  type Type,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost } from '@nestjs/core';
import { replyTo } from '../receiver-outcome.js';
import { type Receiver } from '../receiver.js';
import { probeRoute } from './probe-raw-body.js';

export interface TributaryModuleOptions {
  /** Without the global prefix. Default `webhooks/tributary`. */
  readonly path?: string;
  readonly receiver: Receiver;
}

export interface TributaryModuleAsyncOptions {
  readonly path?: string;
  readonly imports?: NonNullable<DynamicModule['imports']>;
  readonly inject?: readonly (string | symbol | Type)[];
  /** Given what `inject` names. */
  readonly useFactory: (...injected: never[]) => Receiver | Promise<Receiver>;
}

interface NestRequest {
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly rawBody?: unknown;
  readonly body?: unknown;
}

const receiverToken = Symbol('tributary receiver');
const checkHeader = 'x-tributary-raw-body-check';
const probeTimeoutMs = 10_000;

/**
 * `TributaryModule.forRoot({ receiver })`, on Express and on Fastify. Needs `NestFactory.create(AppModule, { rawBody: true })`, and
 * says so when the application starts rather than at the first event. Drains the receiver at shutdown.
 */
@Module({})
export class TributaryModule {
  static forRoot({ path, receiver }: TributaryModuleOptions): DynamicModule {
    return moduleAt(path, { provide: receiverToken, useValue: receiver });
  }

  static forRootAsync({ path, imports, inject, useFactory }: TributaryModuleAsyncOptions): DynamicModule {
    return moduleAt(path, { provide: receiverToken, useFactory, inject: [...(inject ?? [])] }, imports);
  }
}

function moduleAt(path = 'webhooks/tributary', receiver: Provider, imports: DynamicModule['imports'] = []): DynamicModule {
  return { module: TributaryModule, imports, controllers: [controllerAt(path)], providers: [receiver] };
}

function controllerAt(path: string): Type {
  @Controller(path)
  class TributaryController implements OnApplicationBootstrap, OnApplicationShutdown {
    private readonly check = crypto.randomUUID();
    private rawBodyArrives: boolean | undefined;

    constructor(
      @Inject(receiverToken) private readonly receiver: Receiver,
      @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
      @Inject(ApplicationConfig) private readonly config: ApplicationConfig,
    ) {}

    @Post()
    async receive(@Req() request: NestRequest, @Res() response: unknown): Promise<void> {
      if (request.headers[checkHeader] === this.check) {
        this.rawBodyArrives = ArrayBuffer.isView(request.rawBody) || ArrayBuffer.isView(request.body);
        return this.reply(response, 204, {}, '');
      }
      const body = (request.rawBody ?? request.body) as Uint8Array;
      const answer = replyTo(await this.receiver.receive({ body, headers: request.headers }));
      this.reply(response, answer.status, answer.headers, answer.body);
    }

    /** @throws when the route gets parsed bodies only */
    async onApplicationBootstrap(): Promise<void> {
      const route = `/${[this.config.getGlobalPrefix(), path].join('/').split('/').filter(Boolean).join('/')}`;
      const headers = { [checkHeader]: this.check };
      await probeRoute(this.host.httpAdapter, { path: route, headers, timeoutMs: probeTimeoutMs });
      if (this.rawBodyArrives === false) {
        throw new Error(
          `Tributary: POST ${route} gets parsed bodies only, and a signature covers the bytes as they came. ` +
            'Start the application with NestFactory.create(AppModule, { rawBody: true }).',
        );
      }
      if (this.rawBodyArrives === undefined) {
        new Logger('TributaryModule').warn(
          `Whether raw bodies arrive at POST ${route} could not be checked: a guard or a route before it answers.`,
        );
      }
    }

    async onApplicationShutdown(): Promise<void> {
      await this.receiver.drain();
    }

    private reply(response: unknown, status: number, headers: Readonly<Record<string, string>>, body: string): void {
      const { httpAdapter } = this.host;
      for (const [name, value] of Object.entries(headers)) httpAdapter.setHeader(response, name, value);
      httpAdapter.reply(response, status === 204 ? undefined : body, status);
    }
  }
  return TributaryController;
}

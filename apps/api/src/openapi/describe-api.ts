import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { eventSchemas } from '@tributary/handoffs';
import { z } from 'zod';
import { problemShape } from '../answers/problem-shape.js';

type Json = Record<string, unknown>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** The OpenAPI 3.1 document, made from the very schemas that check requests and type answers. */
export function describeApi(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Tributary')
    .setDescription(
      'Health data of many providers: one correct, versioned value for each person, metric, day and source. Every failure answers `application/problem+json`.',
    )
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key: `trb_live_…` or `trb_test_…`.' }, 'apiKey')
    .addSecurityRequirements('apiKey')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (_controller, method) => method,
    standardSchemaConverter: (schema, { schemaType }) => convert(schema as z.ZodType, schemaType),
  });
  const components: Json = (document.components as Json) ?? {};
  const schemas: Json = (components['schemas'] as Json | undefined) ?? {};
  const problem = convert(problemShape, 'output');
  Object.assign(schemas, problem.components);
  components['schemas'] = schemas;
  components['responses'] = {
    Problem: { description: 'What went wrong.', content: { 'application/problem+json': { schema: problem.schema } } },
  };
  components['parameters'] = { IdempotencyKey: idempotencyKey };
  for (const path of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = path[method];
      if (operation === undefined) continue;
      operation.responses['default'] = { $ref: '#/components/responses/Problem' };
      allowNoBody(operation, schemas);
      if (method === 'post') (operation.parameters ??= []).push({ $ref: '#/components/parameters/IdempotencyKey' });
    }
  }
  return { ...document, components, webhooks: describeWebhooks(schemas) } as OpenAPIObject;
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Any text of your own, new for each new request. Sent again with the same body within a day, the request is answered as before, with `Idempotent-Replayed: true`, and not worked again. Failures of ours (5xx) are not kept.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

/** A body whose schema has a default may be left out. */
function allowNoBody({ requestBody }: { requestBody?: unknown }, schemas: Json): void {
  const body = requestBody as { required?: boolean; content?: { 'application/json'?: { schema?: { $ref?: string } } } } | undefined;
  const name = body?.content?.['application/json']?.schema?.$ref?.split('/').at(-1);
  if (body && name !== undefined && 'default' in (schemas[name] as Json)) body.required = false;
}

/** One webhook for each type of event: what an endpoint of a customer is sent, and how it should answer. */
function describeWebhooks(schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(eventSchemas).map(([type, data]) => {
      const name = `${type
        .split(/[._]/)
        .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
        .join('')}Event`;
      schemas[name] = {
        type: 'object',
        properties: {
          type: { type: 'string', const: type },
          timestamp: { type: 'string', format: 'date-time', description: 'When the change was committed.' },
          deliveryAttempt: { type: 'integer', minimum: 1 },
          data: inEitherForm(plain(z.toJSONSchema(data, { io: 'output', unrepresentable: 'any' }))),
        },
        required: ['type', 'timestamp', 'deliveryAttempt', 'data'],
      };
      return [
        type,
        {
          post: {
            operationId: `on${name}`,
            summary: `${type}: sent to your endpoints`,
            parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((header) => ({
              name: header,
              in: 'header',
              required: true,
              schema: { type: 'string' },
            })),
            requestBody: { required: true, content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
            responses: { '2XX': { description: 'Yours. Anything else is tried again.' } },
            security: [],
            tags: ['Webhooks'],
          },
        },
      ];
    }),
  );
}

/** Of the full form and the thin one: who takes thin events is sent no `record`. */
function inEitherForm(data: Json): Json {
  const { required, properties } = data as { required?: string[]; properties?: Record<string, Json> };
  const record = properties?.['record'];
  if (record === undefined) return data;
  return {
    ...data,
    properties: { ...properties, record: { ...record, description: 'Left out for endpoints with `payload: "thin"`, which get `links`.' } },
    required: required?.filter((name) => name !== 'record'),
  };
}

/** A schema with an id becomes a component and a reference to it; the rest stays in its place. */
function convert(schema: z.ZodType, io: 'input' | 'output'): { schema: Json; components: Record<string, Json> } {
  const { $defs, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json & { $defs?: Record<string, Json> };
  const components = Object.fromEntries(Object.entries($defs ?? {}).map(([name, part]) => [name, plain(part)]));
  const id = root['id'];
  if (typeof id !== 'string') return { schema: plain(root), components };
  components[id] = plain(root);
  return { schema: { $ref: `#/components/schemas/${id}` }, components };
}

/** Takes out what JSON Schema has and OpenAPI gives no meaning to, and the long patterns beside a `format` that says the same. */
function plain(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      if (key === '$schema' || (key === 'id' && typeof part === 'string')) return [];
      if (key === 'pattern' && typeof value['format'] === 'string') return [];
      if (key === 'minimum' && part === Number.MIN_SAFE_INTEGER) return [];
      if (key === 'maximum' && part === Number.MAX_SAFE_INTEGER) return [];
      // zod points into the schema that it was made from; here parts stand among the components.
      if (key === '$ref' && typeof part === 'string') return [[key, part.replace('#/$defs/', '#/components/schemas/')]];
      return [[key, deep(part)]];
    }),
  );
}

function deep(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(deep);
  return typeof part === 'object' && part !== null ? plain(part as Json) : part;
}

export {
  type FastifyPart,
  type FastifyReceiverOptions,
  type FastifyRequestPart,
  fastifyReceiver,
} from './handlers/fastify.js';

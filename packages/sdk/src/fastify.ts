export {
  type FastifyPart,
  type FastifyReceiverOptions,
  type FastifyReplyPart,
  type FastifyRequestPart,
  fastifyReceiver,
} from './handlers/fastify.js';

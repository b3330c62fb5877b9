import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import { describeApi } from './describe-api.js';

/** The document at /openapi.json, and with `page` a page to read it at /docs; everything that the page needs is served from here. */
export function serveDocs(app: NestFastifyApplication, page: boolean): void {
  SwaggerModule.setup('docs', app, () => describeApi(app), {
    ui: page,
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Tributary API',
    // Null: Swagger UI would otherwise send the document to a validator on the Internet.
    swaggerOptions: { validatorUrl: null, persistAuthorization: false, displayRequestDuration: true },
  });
}

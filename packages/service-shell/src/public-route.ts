import { SetMetadata } from '@nestjs/common';

/** Metadata that a guard reads: a route is closed unless it, or its controller, says that it is open. */
export const PUBLIC_ROUTE = 'tributary:public-route';

/** Open to callers without a key. */
export const PublicRoute = () => SetMetadata(PUBLIC_ROUTE, true);

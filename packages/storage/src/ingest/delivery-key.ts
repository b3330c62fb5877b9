import { hash } from 'node:crypto';
import type { Scope } from '@tributary/domain';

export interface NamedDelivery extends Scope {
  readonly providerAppId: string;
  readonly deliveryId: string;
}

/**
 * The 16 bytes under which a delivery is known again, whatever the length of the provider's id. None of the first three can hold a NUL,
 * so no two deliveries share a text.
 */
export function deliveryKey({ tenantId, environment, providerAppId, deliveryId }: NamedDelivery): Buffer {
  return hash('sha256', `${tenantId}\0${environment}\0${providerAppId}\0${deliveryId}`, 'buffer').subarray(0, 16);
}

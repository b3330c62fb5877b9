import type { Scope } from '@tributary/domain';

/** Says who has work now. Called after the commit; a ticket that is lost is issued anew by the due-scan, so this never throws. */
export abstract class IssueTickets {
  abstract deliver(scope: Scope, endpointIds: readonly string[]): Promise<void>;
  abstract fetch(scope: Scope, lanes: readonly number[]): Promise<void>;
}

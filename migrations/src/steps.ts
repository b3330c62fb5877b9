import { Tenancy1796000000000 } from './1796000000000-tenancy.js';
import { Ingest1796000000001 } from './1796000000001-ingest.js';
import { Records1796000000002 } from './1796000000002-records.js';
import { Outbound1796000000003 } from './1796000000003-outbound.js';
import { Erasure1796000000004 } from './1796000000004-erasure.js';
import { Budgets1796000000005 } from './1796000000005-budgets.js';
import { Reads1796000000006 } from './1796000000006-reads.js';
import { Backfills1796000000007 } from './1796000000007-backfills.js';
import { Upkeep1796000000008 } from './1796000000008-upkeep.js';
import { Resolved1796000000009 } from './1796000000009-resolved.js';
import { EndpointPace1796000000011 } from './1796000000011-endpoint-pace.js';
import { EndpointFilters1796000000012 } from './1796000000012-endpoint-filters.js';
import { Recoveries1796000000013 } from './1796000000013-recoveries.js';
import { Callers1796000000014 } from './1796000000014-callers.js';
import { Connecting1796000000015 } from './1796000000015-connecting.js';
import { Reading1796000000016 } from './1796000000016-reading.js';

/** Every step, in order. Listed by hand: a file that nobody lists does not run by surprise. */
export const migrations = [
  Tenancy1796000000000,
  Ingest1796000000001,
  Records1796000000002,
  Outbound1796000000003,
  Erasure1796000000004,
  Budgets1796000000005,
  Reads1796000000006,
  Backfills1796000000007,
  Upkeep1796000000008,
  Resolved1796000000009,
  EndpointPace1796000000011,
  EndpointFilters1796000000012,
  Recoveries1796000000013,
  Callers1796000000014,
  Connecting1796000000015,
  Reading1796000000016,
];

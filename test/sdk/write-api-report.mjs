// npm run sdk:api: writes packages/sdk/sdk.api.md anew.
import { writeFileSync } from 'node:fs';
import { apiReport, reportFile } from './api-report.mjs';

writeFileSync(reportFile, apiReport());

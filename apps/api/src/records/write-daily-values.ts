import { type DailyMetric, type Source, dailyMetrics, versionToText } from '@tributary/domain';
import { showSource } from '@tributary/handoffs';
import type { DailyValueRow } from '@tributary/storage';

/**
 * `JSON.stringify(showDailyValue(row))`, to the byte, without the object: these lists are what customers read most. Rows of one page mostly
 * share their source, and what does not change from day to day is quoted once.
 */
export function writeDailyValues(rows: readonly DailyValueRow[]): string[] {
  let connection = '';
  let connectionText = '';
  let source: Source | undefined;
  let sourceText = '';
  let metric = '';
  let metricText = '';
  let kindText = '';
  let unitText = '';
  return rows.map((row) => {
    if (row.connectionId !== connection || connectionText === '') {
      connection = row.connectionId;
      connectionText = JSON.stringify(connection);
    }
    if (row.source !== source) {
      source = row.source;
      sourceText = JSON.stringify(showSource(source));
    }
    if (row.metric !== metric) {
      const { kind, unit, statistic } = dailyMetrics[row.metric as DailyMetric];
      metric = row.metric;
      metricText = JSON.stringify(metric);
      kindText = JSON.stringify(kind);
      unitText = `${JSON.stringify(unit)},"statistic":${JSON.stringify(statistic)}`;
    }
    const { provider, localDate, dateBasis, dayModel, utcOffsetS, revision, version, inferred, provisional, value, implausible } = row;
    return (
      `{"connectionId":${connectionText},"provider":${JSON.stringify(provider)},"localDate":"${localDate}",` +
      `"dateBasis":"${dateBasis}","dayModel":"${dayModel}","utcOffsetS":${utcOffsetS},"source":${sourceText},"revision":${revision},` +
      `"version":"${versionToText(version)}","inferred":${inferred},"provisional":${provisional},"metric":${metricText},"kind":${kindText},` +
      `"record":{"value":${JSON.stringify(value)},"unit":${unitText},"implausible":${implausible}}}`
    );
  });
}

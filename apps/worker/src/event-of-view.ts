import { type DailyMetric, dailyMetrics, versionToText } from '@tributary/domain';
import {
  type EventData,
  eventData,
  linksOf,
  showMeasurement,
  showResolvedDaily,
  showSeriesHead,
  showSleepSession,
  showSource,
  showWorkout,
} from '@tributary/handoffs';
import type {
  DailyValueRow,
  MeasurementShown,
  ResolvedRow,
  SeriesShown,
  SleepShown,
  SourceRef,
  StandingRecord,
  WorkoutShown,
} from '@tributary/storage';
import type { EventContent } from './event-of-change.js';

/** The record of the source that a row of the view shows now. */
export type ShownBySource =
  | { readonly is: 'daily'; readonly row: DailyValueRow }
  | { readonly is: 'sleep'; readonly row: SleepShown }
  | { readonly is: 'workout'; readonly row: WorkoutShown }
  | { readonly is: 'measurement'; readonly row: MeasurementShown }
  | { readonly is: 'series'; readonly row: SeriesShown };

export interface ViewChange {
  readonly row: ResolvedRow;
  readonly externalId: string;
  /** Of a session that stood on another day until now. */
  readonly movedFrom: string | undefined;
}

/** What the view shows now, in the form in which its lists show it, with the revision of the view. */
export function viewUpdated({ row, externalId, movedFrom }: ViewChange, shown: ShownBySource): EventContent {
  const { revision, computedValue, resolution } = row;
  const told = {
    user: { id: row.userId, externalId },
    change: movedFrom === undefined ? (row.change as 'created' | 'updated' | 'restored' | 're_resolved') : ('updated' as const),
    view: 'resolved' as const,
    resolution: resolutionOf(row),
  };
  const previousLocalDate = movedFrom ?? null;
  switch (shown.is) {
    case 'daily': {
      const value = computedValue ?? shown.row.value;
      return content('daily.updated', { ...told, ...showResolvedDaily({ ...shown.row, value, revision, resolution }) });
    }
    case 'sleep':
      return content('sleep.updated', { ...told, previousLocalDate, ...showSleepSession({ ...shown.row, revision }) });
    case 'workout':
      return content('workout.updated', { ...told, previousLocalDate, ...showWorkout({ ...shown.row, revision }) });
    case 'measurement':
      return content('measurement.updated', { ...told, previousLocalDate, ...showMeasurement({ ...shown.row, revision }) });
    case 'series': {
      // Which samples of the merged day are others than before is not known: all of them are to be read.
      const data = { ...told, previousLocalDate, ...showSeriesHead({ ...shown.row, revision }), changedFrom: null, changedTo: null };
      return content('series.updated', { ...data, links: linksOf(data) });
    }
  }
}

/** @param last the record that was shown until now, as it stands at its source */
export function viewDeleted({ row, externalId }: ViewChange, showed: SourceRef, last: StandingRecord): EventContent {
  return content('record.deleted', {
    user: { id: row.userId, externalId },
    connectionId: last.connectionId,
    provider: showed.provider,
    metric: row.metric,
    kind: row.kind === 'daily' ? dailyMetrics[row.metric as DailyMetric].kind : row.kind,
    localDate: row.localDate,
    source: showSource(last.source),
    recordId: showed.recordId,
    revision: row.revision,
    version: versionToText(last.version),
    inferred: last.inferred,
    reason: 'nothing_resolved',
    view: 'resolved',
    resolution: resolutionOf(row),
  });
}

function resolutionOf({ resolution: { picked, rule, derivation } }: ResolvedRow): NonNullable<EventData<'daily.updated'>['resolution']> {
  return { picked: picked && { ...picked }, rule, ...(derivation && { derivation }) };
}

type RecordEvent = 'daily.updated' | 'sleep.updated' | 'workout.updated' | 'measurement.updated' | 'series.updated' | 'record.deleted';

function content<T extends RecordEvent>(type: T, data: EventData<T>): EventContent {
  const { revision, provider, metric } = data as Pick<EventData<'record.deleted'>, 'revision' | 'provider' | 'metric'>;
  return { type, revision, provider, metric, data: eventData(type, data) };
}

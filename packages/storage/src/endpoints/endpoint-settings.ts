/** What a customer chooses of an endpoint. Null in a list: all of them; an empty one takes none. */
export interface EndpointSettings {
  readonly url: string;
  readonly description: string | null;
  readonly eventTypes: readonly string[] | null;
  readonly providers: readonly string[] | null;
  readonly metrics: readonly string[] | null;
  /** Ours. */
  readonly userIds: readonly string[] | null;
  readonly payload: 'full' | 'thin';
  readonly sourceView: 'source' | 'resolved' | 'both';
  readonly ordering: 'none' | 'user';
  /** Null: as fast as it takes them. */
  readonly ratePerSecond: number | null;
  /** Seconds to wait before each attempt. Null: the product's schedule. */
  readonly scheduleS: readonly number[] | null;
}

/** Values of {@link EndpointSettings}, in the order of {@link settingColumns}. */
export function settingValues(settings: EndpointSettings): unknown[] {
  return [
    settings.url,
    settings.description,
    settings.eventTypes,
    settings.providers,
    settings.metrics,
    settings.userIds,
    settings.payload,
    settings.sourceView,
    settings.ordering,
    settings.ratePerSecond,
    settings.scheduleS,
  ];
}

export const settingColumns = [
  'url',
  'description',
  'event_types',
  'providers',
  'metrics',
  'user_ids',
  'payload',
  'source_view',
  'ordering',
  'rate_per_second',
  'schedule_s',
] as const;

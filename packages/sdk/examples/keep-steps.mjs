// What every example does with events: keep the newest value of each key, and say so.
/** @param {import('@tributary/sdk').RecordBook} records */
export function keepIn(records) {
  return async (event) => {
    const applied = await records.applyIfNewer(event);
    const value = event.type === 'daily.updated' ? ` ${event.data.metric} of ${event.data.localDate}: ${event.data.record?.value}` : '';
    console.log(`${applied} ${event.type}${value}`);
  };
}

// The row of a person is what keeps an erasure and a late value apart: a value locks it and looks at its newest state, so either the value
// is written first and the erasure deletes it, or the erasure is first and the value finds the mark.

export function peopleTableSql(people: string): string {
  return `create table if not exists ${people} (
  user_id text primary key,
  erased_at timestamptz
);`;
}

/** A part of a `with`: one row, `user_id`, of the person $1, locked; none when the person was erased. */
export function livingPersonSql(people: string): string {
  return `person as (
  insert into ${people} as held (user_id) values ($1)
  on conflict (user_id) do update set user_id = excluded.user_id where held.erased_at is null
  returning user_id
)`;
}

/** $1: the person. */
export function markErasedSql(people: string): string {
  return `insert into ${people} as held (user_id, erased_at) values ($1, now())
on conflict (user_id) do update set erased_at = coalesce(held.erased_at, now())`;
}

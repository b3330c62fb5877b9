import { type ArgumentMetadata, Injectable, StandardSchemaValidationPipe } from '@nestjs/common';
import { Problem } from '@tributary/domain';

/** As a Standard Schema says it, with the words that zod adds. */
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  readonly code?: string;
  readonly keys?: readonly string[];
}

/** Checks `@Body`, `@Query` and `@Param` against their schema: 422 with every fault; an id of the wrong form names nothing, so 404. */
@Injectable()
export class CheckShapePipe extends StandardSchemaValidationPipe {
  override async transform<T>(value: T, metadata: ArgumentMetadata): Promise<T> {
    const schema = metadata.schema;
    if (schema === undefined) return value;
    this.stripProtoKeys(value);
    const result = await schema['~standard'].validate(value);
    if (!result.issues) return result.value as T;
    if (metadata.type === 'param') throw new Problem('not_found', `There is nothing of that ${metadata.data ?? 'name'}.`);
    const faults = (result.issues as readonly Issue[]).flatMap((issue) => faultsOf(issue, metadata.type));
    throw new Problem(
      'validation_failed',
      `${faults.length === 1 ? 'One field is' : `${faults.length} fields are`} not usable; see "faults".`,
      faults,
    );
  }
}

function faultsOf(issue: Issue, where: string): { path: string; message: string }[] {
  const path = (issue.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step));
  if (issue.code === 'unrecognized_keys' && issue.keys) {
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'is not a field of this request' }));
  }
  return [{ path: path.join('.') || where, message: issue.message }];
}

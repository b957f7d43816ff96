import { FieldFacts, isNothing, knownFields } from './compare';
import {
  coverOf,
  FieldPath,
  FieldPattern,
  isRecord,
  itemsAt,
  Manifest,
} from '../../core/manifest/manifest';
import { isForeign } from '../../engine/fields/finalizers';
import { cleaned, SERVER_METADATA, SHARED_METADATA } from '../select/cleaned';
import { isFromFile } from '../select/marks';

/** A field of a found object that the program does not declare. */
export interface OmittedField {
  readonly path: FieldPath;
  /** Why the object is the same after an apply; undefined where it is not. */
  readonly reason: string | undefined;
}

const REASONS = {
  CONTROLLER: 'a server or a controller writes it',
  DEFAULT: 'the server fills in this value',
  NOTHING: 'the value means the same as none',
  NULL: 'null means that the field is not set',
  NAMED: 'the object has a name',
  OTHERS: 'an apply leaves what others set',
  OWNED: 'an apply does not change who owns an object',
} as const;

/**
 * The fields of a found object that the written one does not have, with the reasons.
 *
 * @param serverOwns patterns of fields that its statement leaves to the server
 */
export function omittedFields(
  found: Manifest,
  written: Manifest,
  facts: FieldFacts,
  serverOwns: readonly FieldPattern[],
  othersWrite: readonly string[],
): readonly OmittedField[] {
  const { noise, isDefault } = knownFields(found, facts, othersWrite);
  const own = cleaned(found);
  const comparison = new OmittedFields([...noise, ...serverOwns], isDefault);
  const { status: _, metadata, ...fields } = found;
  comparison.walk(fields, written, own, []);
  for (const [key, value] of Object.entries(metadata)) {
    if (SHARED_METADATA.has(key) && own.metadata[key] === undefined) {
      comparison.omitted.push(...sharedMetadata(found, key));
    } else if (!SERVER_METADATA.has(key)) {
      comparison.walk(value, written.metadata[key], own.metadata[key], ['metadata', key]);
    }
  }
  return comparison.omitted;
}

/** Collects the fields that a written object does not have. */
class OmittedFields {
  public readonly omitted: OmittedField[] = [];

  /** @param controllers patterns of fields that a server or a controller writes */
  public constructor(
    private readonly controllers: readonly FieldPattern[],
    private readonly isDefault: ReturnType<typeof knownFields>['isDefault'],
  ) {}

  /** @param other the written value @param user what of the value a user wrote */
  public walk(value: unknown, other: unknown, user: unknown, path: FieldPath): void {
    if (Array.isArray(value) && Array.isArray(other)) {
      value.forEach((item, index) => {
        const ofUser = Array.isArray(user) ? user[index] : undefined;
        this.walk(item, other[index], ofUser, [...path, index]);
      });
      return;
    }
    if (other === undefined || other === null) {
      this.add(value, user, path);
      return;
    }
    if (isRecord(value) && isRecord(other)) {
      for (const [key, each] of Object.entries(value)) {
        this.walk(each, fieldOf(other, key), fieldOf(user, key), [...path, key]);
      }
    }
  }

  private add(value: unknown, user: unknown, path: FieldPath): void {
    const reason = this.reasonOf(path, value, user);
    if (reason === undefined && isRecord(value)) {
      this.walk(value, {}, user, path);
    } else {
      this.omitted.push({ path, reason });
    }
  }

  private reasonOf(path: FieldPath, value: unknown, user: unknown): string | undefined {
    if (value === null || value === undefined) {
      return REASONS.NULL;
    }
    if (this.controllers.some((pattern) => coverOf(pattern, path) !== undefined)) {
      return REASONS.CONTROLLER;
    }
    if (this.isDefault(path, value)) {
      return REASONS.DEFAULT;
    }
    if (isNothing(value)) {
      return REASONS.NOTHING;
    }
    return user === undefined ? REASONS.CONTROLLER : undefined;
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Metadata that is left out for what it is. Servers write that of the objects that they have. */
function sharedMetadata(found: Manifest, key: string): readonly OmittedField[] {
  const path = ['metadata', key];
  if (key === 'ownerReferences') {
    return [{ path, reason: REASONS.OWNED }];
  }
  if (!isFromFile(found)) {
    const isForeignOne = key === 'finalizers' && itemsAt(found.metadata[key]).some(isForeign);
    return isForeignOne ? [{ path, reason: REASONS.OTHERS }] : [];
  }
  return [{ path, reason: key === 'generateName' ? REASONS.NAMED : REASONS.CONTROLLER }];
}

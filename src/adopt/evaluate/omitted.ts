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
  const controllers = [...noise, ...serverOwns];
  const own = cleaned(found);
  const omitted: OmittedField[] = [];
  const reasonOf = (path: FieldPath, value: unknown, user: unknown): string | undefined => {
    if (value === null || value === undefined) {
      return REASONS.NULL;
    }
    if (controllers.some((pattern) => coverOf(pattern, path) !== undefined)) {
      return REASONS.CONTROLLER;
    }
    if (isDefault(path, value)) {
      return REASONS.DEFAULT;
    }
    if (isNothing(value)) {
      return REASONS.NOTHING;
    }
    return user === undefined ? REASONS.CONTROLLER : undefined;
  };
  const walk = (value: unknown, other: unknown, user: unknown, path: FieldPath): void => {
    if (Array.isArray(value) && Array.isArray(other)) {
      value.forEach((item, index) => {
        walk(item, other[index], Array.isArray(user) ? user[index] : undefined, [...path, index]);
      });
      return;
    }
    if (other === undefined || other === null) {
      const reason = reasonOf(path, value, user);
      if (reason === undefined && isRecord(value)) {
        walk(value, {}, user, path);
      } else {
        omitted.push({ path, reason });
      }
      return;
    }
    if (isRecord(value) && isRecord(other)) {
      for (const [key, each] of Object.entries(value)) {
        walk(
          each,
          Object.hasOwn(other, key) ? other[key] : undefined,
          isRecord(user) && Object.hasOwn(user, key) ? user[key] : undefined,
          [...path, key],
        );
      }
    }
  };
  const { status: _, metadata, ...fields } = found;
  walk(fields, written, own, []);
  for (const [key, value] of Object.entries(metadata)) {
    if (SHARED_METADATA.has(key) && own.metadata[key] === undefined) {
      omitted.push(...sharedMetadata(found, key));
    } else if (!SERVER_METADATA.has(key)) {
      walk(value, written.metadata[key], own.metadata[key], ['metadata', key]);
    }
  }
  return omitted;
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

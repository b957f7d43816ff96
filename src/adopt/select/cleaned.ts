import { HELM } from './marks';
import { SERVER_METADATA, SYSTEM_ANNOTATIONS, SYSTEM_FIELDS, SYSTEM_LABELS, SYSTEM_PREFIXES } from './system-metadata.data';
import { KindFields } from '../../core/kind/description/fields';
import { kindOf } from '../../core/kind/kinds';
import { RETENTION_MARKS } from '../../core/kind/retention';
import { Manifest, annotationsOf, at, groupOf, isRecord, kindKey, labelsOf, patternOf, replacedAt } from '../../core/manifest/manifest';
import { OWN_MARKS } from '../../engine/inventory/apply-set';
import { ANNOTATION_PROJECT_ID } from '../../rancher/project/project.kind';
import { CREATOR_NORMAN, LABEL_CREATOR } from '../../rancher/project-secret/project-secret.kind';

/** The API servers' own address: a headless Service has none, which a user chose. */
const HEADLESS = 'None';

/** Annotation of an image: users choose its StorageClass by it, and Harvester adds it where they did not. */
const ALSO_OF_USERS = 'harvesterhci.io/storageClassName';

/** The status of a registration token names its Secret, which users choose. */
const KEPT_STATUS = { kind: 'management.cattle.io/ClusterRegistrationToken', field: 'tokenSecretName' } as const;

/**
 * A live object as a user could have written it: without what servers, controllers and this library write. Fields that users may have written remain, also
 * where they have the default of the server; nulls are dropped, which mean nothing to a server.
 */
export function cleaned(manifest: Manifest): Manifest {
  const { status, metadata, ...rest } = manifest;
  const kind = kindKey(groupOf(manifest.apiVersion), manifest.kind);
  const own = Object.entries(metadata).filter(([key]) => !SERVER_METADATA.has(key))
    .map(([key, value]) => [key, (key === 'labels' || key === 'annotations') && isRecord(value) ? texts(value, key, manifest) : value])
    .filter(([, value]) => !isRecord(value) || Object.keys(value).length > 0);
  const object = { ...rest, metadata: Object.fromEntries(own) as Manifest['metadata'] } as Manifest;
  const chosen = kind === KEPT_STATUS.kind ? at(status, [KEPT_STATUS.field]) : undefined;
  return withoutNulls(withoutFields(kind, typeof chosen === 'string' ? { ...object, status: { [KEPT_STATUS.field]: chosen } } : object)) as Manifest;
}

/** Labels or annotations without those that servers and this library write. */
function texts(map: { readonly [key: string]: unknown }, field: 'labels' | 'annotations', manifest: Manifest): { readonly [key: string]: unknown } {
  const ofKind = new Set((kindOf<KindFields>(manifest)?.writtenByOthers ?? []).map(patternOf).filter((path) => path.length === 3 && path[1] === field)
    .map(([, , key]) => key).filter((key) => key !== ALSO_OF_USERS));
  const system = field === 'labels' ? SYSTEM_LABELS : SYSTEM_ANNOTATIONS;
  const isSystem = (key: string): boolean => system.has(key) || ofKind.has(key) || SYSTEM_PREFIXES.some((prefix) => key.startsWith(prefix));
  return Object.fromEntries(Object.entries(map).filter(([key, value]) => !(
    isSystem(key) || OWN_MARKS.has(key) || RETENTION_MARKS.get(key) === value || (field === 'labels' && isCopied(key, value, manifest)))));
}

/** Labels that mean something else than what users write them for. */
function isCopied(key: string, value: unknown, manifest: Manifest): boolean {
  if (key === LABEL_CREATOR) { return value === CREATOR_NORMAN; }
  if (key === HELM.LABEL) { return value === HELM.VALUE && HELM.NAME in annotationsOf(manifest); }
  // of the annotation, without the cluster
  return key === ANNOTATION_PROJECT_ID && manifest.kind === 'Namespace'
    && String(annotationsOf(manifest)[ANNOTATION_PROJECT_ID]).endsWith(`:${String(labelsOf(manifest)[key])}`);
}

function withoutFields(kind: string, manifest: Manifest): Manifest {
  const fields = (SYSTEM_FIELDS[kind] ?? []).filter((path) => at(manifest, path) !== HEADLESS && !isHeadless(at(manifest, path)));
  const result = fields.reduce<Manifest>((object, path) => replacedAt(object, path, undefined), manifest);
  return isRecord(result.spec) && Object.keys(result.spec).length === 0 && fields.length > 0 ? replacedAt(result, ['spec'], undefined) : result;
}

function isHeadless(value: unknown): boolean {
  return Array.isArray(value) && value[0] === HEADLESS;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) { return value.filter((each) => each !== null && each !== undefined).map(withoutNulls); }
  if (!isRecord(value)) { return value; }
  const filled = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(filled.map(([key, each]) => [key, withoutNulls(each)]));
}

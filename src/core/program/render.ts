import { ApiObject, Chart } from 'cdk8s';
import { IConstruct } from 'constructs';
import { plainJson, rendersPlainly } from './plain-json';
import { putSecrets } from './secrets';
import { withOwnedMetadata } from '../construct/owned-metadata';
import { isMarkedApp, isTestApp } from '../construct/scope';
import { kindOf } from '../kind/kinds';
import { Manifest, isManifest, isRecord, valueAt } from '../manifest/manifest';
import { fail } from '../problem/problem';
import { renderSecrets } from '../value/secret-value';

/** What renderChart needs of a HarvesterApp, without importing it: charts are below the app. */
interface Judging {
  _failOnFindings(): void;
}

/**
 * One object as JSON.
 *
 * A cluster-scoped object loses the namespace that its chart gave it: cdk8s gives it to every
 * object, and a server refuses or ignores it.
 *
 * @param isPlain whether cdk8s renders plain data of its app in the usual way
 */
export function renderObject(object: ApiObject, isPlain: boolean): Manifest {
  const manifest = withOwnedMetadata(object, requireManifest(jsonOf(object, isPlain), ''));
  const { namespace } = manifest.metadata;
  if (
    namespace !== undefined &&
    namespace === object.chart.namespace &&
    kindOf(manifest)?.scope === 'Cluster'
  ) {
    delete (manifest.metadata as { namespace?: string }).namespace;
  }
  return manifest;
}

function jsonOf(object: ApiObject, isPlain: boolean): unknown {
  const plain = isPlain ? plainJson(object) : undefined;
  if (plain !== undefined) {
    return plain;
  }
  refusePrototypes((object as unknown as { readonly props: unknown }).props, '', new Set());
  return object.toJson();
}

/**
 * The objects of a manifest: those in a list, otherwise itself. Lists are how `kubectl get` writes
 * several objects; no server stores one.
 */
export function openList(manifest: Manifest, path = ''): Manifest[] {
  const { kind, items } = manifest;
  if (!kind.endsWith('List') || !Array.isArray(items)) {
    return [manifest];
  }
  return items.flatMap((item: unknown, index) => {
    const place = `${path}items[${index}].`;
    return openList(
      isList(item) ? { ...item, metadata: { name: '' } } : requireManifest(item, place),
      place,
    );
  });
}

// a list has no name
function isList(value: unknown): value is { apiVersion: string; kind: string } {
  return (
    isRecord(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    value.kind.endsWith('List') &&
    Array.isArray(value.items)
  );
}

// constructs and values that are resolved later are not data; an object of another realm is
function isData(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === null ||
    prototype === Object.prototype ||
    Object.getPrototypeOf(prototype) === null
  );
}

// such a key comes only from JSON.parse; cdk8s would lose it silently, since it copies objects key
// by key
function refusePrototypes(value: unknown, path: string, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) {
    return;
  }
  seen.add(value);
  if (Object.hasOwn(value, '__proto__')) {
    throw new Error(
      `${path === '' ? 'the object' : path}: cannot contain the key "__proto__", which readers may take for the prototype`,
    );
  }
  if (!Array.isArray(value) && !isData(value)) {
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    refusePrototypes(inner, path === '' ? key : `${path}.${key}`, seen);
  }
}

// JSON patches and Include take anything
function requireManifest(value: unknown, path: string): Manifest {
  if (!isManifest(value)) {
    const [missing] = isRecord(value)
      ? ['apiVersion', 'kind', 'metadata.name'].filter(
          (field) => typeof valueAt(value, ...field.split('.')) !== 'string',
        )
      : [];
    throw new Error(
      missing
        ? `is not a Kubernetes object: ${path}${missing} must be text`
        : `is not a Kubernetes object${path && `: ${path.slice(0, -1)}`}`,
    );
  }
  const { namespace } = value.metadata;
  if (namespace !== undefined && typeof namespace !== 'string') {
    throw new Error(`is not a Kubernetes object: ${path}metadata.namespace must be text`);
  }
  return value;
}

/**
 * The objects that have this chart as their closest one, after the checks that a synthesis makes.
 */
export function renderChart(chart: Chart): Manifest[] {
  const root = chart.node.root;
  if (isMarkedApp(root)) {
    (root as unknown as Judging)._failOnFindings();
  } else {
    failOnValidations(root);
  }
  const objects = chart.node
    .findAll()
    .filter((child): child is ApiObject => child instanceof ApiObject && child.chart === chart);
  const isPlain = rendersPlainly(root);
  return renderSecrets(isTestApp(root), () => objects.map((each) => withSecrets(each, isPlain)));
}

function withSecrets(object: ApiObject, isPlain: boolean): Manifest {
  const manifest = renderObject(object, isPlain);
  const put = putSecrets(manifest);
  if (put && put.problems.length > 0) {
    fail(object, put.problems);
  }
  return put?.written ?? manifest;
}

// below a plain cdk8s App there are no rules, but constructs still say what did not happen
function failOnValidations(root: IConstruct): void {
  const errors = root.node
    .findAll()
    .flatMap((child) => child.node.validate().map((error) => `[${child.node.path}] ${error}`));
  if (errors.length > 0) {
    throw new Error(`Validation failed with the following errors:\n  ${errors.join('\n  ')}`);
  }
}

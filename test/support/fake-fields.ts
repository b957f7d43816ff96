import { Manifest, isRecord } from '../../src/core/manifest/manifest';

/* eslint-disable @typescript-eslint/no-explicit-any */

export const COPY = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

// the paths of everything that is not a map: a list is one unit, as in custom resources
export function leavesOf(manifest: Manifest): string[][] {
  const leaves: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    const entries = isRecord(value) ? Object.entries(value) : [];
    if (entries.length === 0) { leaves.push(path); }
    for (const [key, inner] of entries) { walk(inner, [...path, key]); }
  };
  const { name: _, namespace: __, uid: ___, ...metadata } = manifest.metadata;
  const { apiVersion: ____, kind: _____, ...rest } = manifest;
  for (const [key, value] of Object.entries({ ...rest, metadata })) {
    if (key !== 'metadata' || Object.keys(metadata).length > 0) { walk(value, [key]); }
  }
  return leaves;
}

export function fieldsOf(leaves: string[][]): object {
  const root: any = {};
  for (const path of leaves) {
    let current = root;
    for (const key of path) { current = current[`f:${key}`] ??= {}; }
  }
  return root;
}

export function leavesIn(fieldsV1: any): string[][] {
  const below = Object.entries(fieldsV1).filter(([step]) => step.startsWith('f:'));
  return below.flatMap(([step, inner]) => {
    const leaves = leavesIn(inner);
    return leaves.length > 0 ? leaves.map((path) => [step.slice(2), ...path]) : [[step.slice(2)]];
  });
}

export function at(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
}

export function put(object: any, path: readonly string[], value: unknown): void {
  let current = object;
  for (const key of path.slice(0, -1)) {
    if (!isRecord(current[key])) { current[key] = {}; }
    current = current[key];
  }
  const last = path[path.length - 1];
  // an empty map owns itself, but not its content
  if (!(isRecord(value) && isRecord(current[last]))) { current[last] = COPY(value ?? null); }
}

export function remove(object: any, path: readonly string[]): void {
  const parent = at(object, path.slice(0, -1)) as any;
  if (isRecord(parent)) { delete (parent as any)[path[path.length - 1]]; }
}

export function withoutVersion({ metadata: { resourceVersion: _, managedFields: __, ...metadata }, ...rest }: any): unknown {
  return { ...rest, metadata };
}

export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

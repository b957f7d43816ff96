import { writeFileSync } from 'fs';
import { join } from 'path';
import { tempFolder } from './temp';
import { assemblyOf, writtenObjects } from './written';
import { HarvesterApp } from '../../src/core/app/harvester-app';

/* eslint-disable @typescript-eslint/no-explicit-any -- manifests are looked into at will */

/**
 * All objects, written ones and templates, by `<target>/<Kind>/<name>`, or with the namespace where
 * two are called alike.
 */
export function rendered(app: HarvesterApp): Record<string, any> {
  const objects = writtenObjects(app);
  const waiting = assemblyOf(app).objects.filter(({ template }: any) => template);
  const templates = waiting.map(({ target, template }: any) => ({ target, object: template }));
  const all: Record<string, any> = {};
  for (const { target, object } of [...objects, ...templates]) {
    const key = `${target}/${object.kind}/${object.metadata.name}`;
    all[
      key in all
        ? `${target}/${object.kind}/${object.metadata.namespace}/${object.metadata.name}`
        : key
    ] = object;
  }
  return all;
}

/** A file of resolved late values. */
export function valuesFile(values: Record<string, string>): string {
  const file = join(tempFolder(), 'values.json');
  writeFileSync(file, JSON.stringify({ schemaVersion: '1', values }));
  return file;
}

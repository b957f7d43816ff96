import * as fs from 'node:fs';
import * as path from 'node:path';
import { complaints } from './apply-all';
import { Client } from './client';
import { readManifests } from './manifests';
import { untilServed } from './served';
import { Manifest } from '../../src/core/manifest/manifest';

/**
 * The folders of definitions that a target has. Of a kind that two of them define, the first one's definition counts: a running Rancher's
 * before that of a later source.
 */
export const DEFINITION_FOLDERS = {
  rancher: ['rancher-live-2.13.8', 'rancher'],
  harvester: ['harvester'],
  guest: ['guest'],
};

/** The folder of all definitions; undefined where this machine has none. */
export function definitionsRoot(): string | undefined {
  const root = process.env.HARVESTER_CRDS ?? path.resolve(__dirname, '..', '..', '..', 'shared', 'crds');
  return fs.existsSync(root) ? root : undefined;
}

/** Installs the definitions of some folders, all at once, and waits until the server serves them. */
export async function installDefinitions(client: Client, folders: string[]): Promise<void> {
  const definitions = new Map<string, Manifest>();
  for (const definition of folders.flatMap(readManifests)) {
    if (!definitions.has(definition.metadata.name)) definitions.set(definition.metadata.name, definition);
  }
  await Promise.all([...definitions.values()].map(async definition => install(client, definition)));
}

async function install(client: Client, definition: Manifest): Promise<void> {
  const answer = await client.apply(definition);
  const problems = complaints({ object: definition, answer });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  await untilServed(client, definition);
}

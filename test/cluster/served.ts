import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client';
import { Manifest } from '../../src/core/manifest/manifest';

const TIMEOUT_MS = 300_000;

interface Definition extends Manifest {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: { readonly name: string; readonly served: boolean }[];
  };
}

/** Waits until the server takes objects of a custom resource definition. */
export async function untilServed(client: Client, definition: Manifest): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await isServed(client, definition as Definition))) {
    if (Date.now() > deadline) {
      throw new Error(
        `${definition.metadata.name} is not served ${TIMEOUT_MS / 1000} s after it was applied`,
      );
    }
    await sleep(100);
  }
}

/**
 * A definition is established a moment before discovery shows its kinds, which is asked first: its
 * answer is small.
 */
async function isServed(client: Client, definition: Definition): Promise<boolean> {
  const { group, names, versions } = definition.spec;
  const served = await Promise.all(
    versions
      .filter((version) => version.served)
      .map(async (version) => client.serves(`${group}/${version.name}`, names.kind)),
  );
  if (!served.every(Boolean)) {
    return false;
  }
  const { body } = await client.read(definition);
  const conditions: { type: string; status: string }[] = body.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}

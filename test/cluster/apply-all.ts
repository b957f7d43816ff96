import { setTimeout as sleep } from 'node:timers/promises';
import { Answer, Client, UnknownKindError } from './client';
import { untilServed } from './served';
import { Manifest, objectLabel } from '../../src/core/manifest/manifest';

const DELETE_TIMEOUT_MS = 300_000;

export interface ApplyAllOptions {
  /** Whether to create the namespaces that are neither on the server nor among the objects. */
  readonly createNamespaces?: boolean;
}

export interface Applied {
  readonly object: Manifest;
  readonly answer: Answer;
}

export interface ApplyAllResult {
  readonly applied: Applied[];
  /** The namespaces that had to be created. */
  readonly createdNamespaces: string[];
}

/**
 * Applies objects one after the other: definitions, then namespaces, then the rest as given. Never
 * throws for what the server refuses.
 */
export async function applyAll(
  client: Client,
  objects: Manifest[],
  options: ApplyAllOptions = {},
): Promise<ApplyAllResult> {
  const createdNamespaces: string[] = [];
  const applied: Applied[] = [];
  for (const object of inOrder(objects)) {
    try {
      if (options.createNamespaces && (await createNamespaceOf(client, object))) {
        createdNamespaces.push(object.metadata.namespace!);
      }
      const answer = await client.apply(object);
      applied.push({ object, answer });
      if (object.kind === 'CustomResourceDefinition' && answer.status < 300) {
        await untilServed(client, object);
      }
    } catch (error) {
      // the other objects are applied all the same, so that one run shows everything to fix
      if (!(error instanceof UnknownKindError)) {
        throw error;
      }
      applied.push({
        object,
        answer: { status: 404, body: { message: error.message }, warnings: [] },
      });
    }
  }
  return { applied, createdNamespaces };
}

/** Deletes objects, the last applied first, and waits until they are gone. */
export async function deleteAll(client: Client, objects: Manifest[]): Promise<void> {
  const reversed = inOrder(objects).reverse();
  for (const object of reversed) {
    await client.delete(object);
  }
  const deadline = Date.now() + DELETE_TIMEOUT_MS;
  for (const object of reversed) {
    while ((await client.read(object)).status !== 404) {
      if (Date.now() > deadline) {
        throw new Error(
          `${objectLabel(object)} is still there ${DELETE_TIMEOUT_MS / 1000} s after its deletion`,
        );
      }
      await sleep(100);
    }
  }
}

/**
 * What went wrong with an object, in the server's words, and what it warned of; empty where all is
 * well.
 */
export function complaints({ object, answer }: Applied): string[] {
  const refused =
    answer.status < 300 ? [] : [`${answer.status} ${answer.body?.message ?? answer.body}`];
  return [...refused, ...answer.warnings.map((warning) => `warning: ${warning}`)].map(
    (text) => `${objectLabel(object)}: ${text}`,
  );
}

function inOrder(objects: Manifest[]): Manifest[] {
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const namespaces = objects.filter(({ kind }) => kind === 'Namespace');
  return [...new Set([...definitions, ...namespaces, ...objects])];
}

async function createNamespaceOf(client: Client, object: Manifest): Promise<boolean> {
  const name = object.metadata.namespace;
  if (!name || !(await client.isNamespaced(object))) {
    return false;
  }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  if ((await client.read(namespace)).status === 200) {
    return false;
  }
  return (await client.request('POST', '/api/v1/namespaces', { body: namespace })).status === 201;
}

import { Manifest, objectLabel } from '../../../../src/core/manifest/manifest';
import { Answer, Client } from '../../client';
import { until } from '../../doubles/fault-rows';
import { Live } from '../../doubles/live';

/** Applies an object; throws what the server refuses. */
export async function write(client: Client, manifest: Manifest): Promise<void> {
  expectDone(manifest, await client.apply(manifest));
}

/** Merges something into an object or its status; throws what the server refuses. */
export async function merge(
  client: Client,
  object: Manifest,
  body: object,
  subresource = '',
): Promise<void> {
  const path = await client.pathOf(object);
  expectDone(
    object,
    await client.request('PATCH', `${path}${subresource && `/${subresource}`}`, {
      contentType: 'application/merge-patch+json',
      body,
    }),
  );
}

/** All objects of a kind, in a namespace or in all. */
export async function listed(
  client: Client,
  apiVersion: string,
  kind: string,
  namespace?: string,
): Promise<Live[]> {
  let items: Live[] | undefined;
  // a busy server refuses requests for a moment, and a new one while it reads what it stores
  await until(async () => {
    const { body } = await client.list(apiVersion, kind, namespace);
    items = body.items;
    return items !== undefined;
  });
  return items!.map((item) => ({ ...item, apiVersion, kind }));
}

/** Those of the objects that a server has. */
export async function delivered(client: Client, manifests: readonly Manifest[]): Promise<string[]> {
  const answers = await Promise.all(manifests.map(async (manifest) => client.read(manifest)));
  return manifests.filter((_, index) => answers[index].status === 200).map(objectLabel);
}

function expectDone(object: Manifest, { status, body }: Answer): void {
  if (status >= 300) {
    throw new Error(`${objectLabel(object)}: ${status} ${body?.message}`);
  }
}

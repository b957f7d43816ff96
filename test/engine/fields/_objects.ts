import { Manifest } from '../../../src/core/manifest/manifest';
import { LiveObject } from '../../../src/engine/cluster/cluster';

export const OURS = 'cdk8s-harvester';

export type Entry = NonNullable<LiveObject['metadata']['managedFields']>[number];

export function entry(
  manager: string,
  operation: string,
  fieldsV1: object,
  more: object = {},
): Entry {
  return {
    manager,
    operation,
    apiVersion: 'example.com/v2',
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...more,
  };
}

export function widget(fields: object = {}, metadata: object = {}): Manifest {
  return {
    apiVersion: 'example.com/v2',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'x', ...metadata },
    ...fields,
  };
}

export function live(
  managedFields: readonly Entry[] | undefined,
  metadata: object = {},
  fields: object = {},
): LiveObject {
  return widget(fields, {
    uid: 'u',
    resourceVersion: '7',
    ...(managedFields ? { managedFields } : {}),
    ...metadata,
  }) as LiveObject;
}

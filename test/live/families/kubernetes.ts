import { ApiObject } from 'cdk8s';
import { Family } from './family';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { HarvesterStorageClass } from '../../../src/harvester/storage/harvester-storage-class';

/** Kinds of Kubernetes itself, on a Harvester. */
export const KUBERNETES: Family = {
  title: 'kubernetes',
  products: ['harvester'],
  base: ({ dc1, fixed }) => {
    ['one', 'two'].forEach((name) => new HarvesterNamespace(dc1, name, { name: fixed(name) }));
  },
  declare: ({ dc1, name, fixed, variation }, copy) => {
    const { isEdited, isReplaced, namespace: into } = variation;
    const metadata = { name: name('plain'), namespace: fixed(into) };
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata };
    new HarvesterStorageClass(dc1, `class-${copy}`, {
      name: name('class'),
      description: isEdited ? 'edited' : undefined,
      allowVolumeExpansion: true,
    });
    new ApiObject(dc1, `account-${copy}`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    new ApiObject(dc1, `map-${copy}`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: { level: isEdited ? 'debug' : 'info' },
    });
    new ApiObject(dc1, `role-${copy}`, {
      ...rbac,
      kind: 'Role',
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: [isEdited ? 'list' : 'get'] }],
    });
    new ApiObject(dc1, `binding-${copy}`, {
      ...rbac,
      kind: 'RoleBinding',
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'Role',
        name: isReplaced ? 'other' : metadata.name,
      },
      subjects: [{ kind: 'ServiceAccount', name: metadata.name, namespace: metadata.namespace }],
    });
    new ApiObject(dc1, `service-${copy}`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { ports: [{ name: 'https', port: isEdited ? 8443 : 443, protocol: 'TCP' }] },
    });
  },
};

import { Family, Stage } from './family';
import { SecretValue } from '../../../src/core/value/secret-value';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { ClusterId } from '../../../src/rancher/cluster/managed-cluster';
import { CloudCredential } from '../../../src/rancher/credential/cloud-credential';
import { S3Credential } from '../../../src/rancher/credential/s3-credential';
import { HarvesterImport } from '../../../src/rancher/import/harvester-import';
import { TenantProject } from '../../../src/rancher/project/tenant-project';
import { ProjectSecret } from '../../../src/rancher/project-secret/project-secret';

const clusterId = ({ fixed }: Pick<Stage, 'fixed'>): string =>
  `c-m-${fixed('c').replace(/-/g, '')}`;

/** A kubeconfig of no server. */
export function kubeconfigOf(server: string): string {
  return JSON.stringify({
    'apiVersion': 'v1',
    'kind': 'Config',
    'clusters': [{ name: 'none', cluster: { server: `https://${server}.invalid:6443` } }],
    'users': [{ name: 'none', user: { token: 'example-token' } }],
    'contexts': [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
    'current-context': 'none',
  });
}

const text = (value: string): SecretValue => SecretValue.unsafePlainText(value);

/** Credentials of clouds, of buckets, and Secrets of a project. */
export const CREDENTIALS: Family = {
  title: 'credentials',
  base: (stage) => {
    const { rancher, dc1, fixed } = stage;
    new HarvesterImport(rancher, 'import', {
      harvester: dc1,
      name: fixed('credentials'),
      clusterId: ClusterId.fixed(clusterId(stage)),
      register: false,
    });
    ['one', 'two'].forEach((name) => new HarvesterNamespace(dc1, name, { name: fixed(name) }));
    const cluster = HarvesterImport.fromClusterId(rancher, 'cluster', {
      clusterId: clusterId(stage),
    });
    ['one', 'two'].forEach(
      (name) => new TenantProject(rancher, `project-${name}`, { cluster, name: `project-${name}` }),
    );
  },
  declare: (stage, copy) => {
    const { rancher, dc1, name, fixed, variation } = stage;
    const { isEdited, isReplaced, namespace: into } = variation;
    const cluster = HarvesterImport.fromClusterId(rancher, `of-${copy}`, {
      clusterId: clusterId(stage),
      harvester: dc1,
    });
    CloudCredential.external(rancher, `external-${copy}`, {
      name: name('external'),
      description: isEdited ? 'edited' : undefined,
      kubeconfig: text(kubeconfigOf(isEdited ? 'new' : 'old')),
    });
    CloudCredential.serviceAccount(rancher, `account-${copy}`, {
      name: name('account'),
      displayName: isEdited ? 'edited' : undefined,
      harvesterImport: cluster,
      namespaces: [HarvesterNamespace.fromName(dc1, `in-${copy}`, { name: fixed(into) })],
      server: 'https://harvester.invalid:6443',
    });
    new S3Credential(rancher, `bucket-${copy}`, {
      name: name('bucket'),
      accessKey: text(isEdited ? 'new-key' : 'old-key'),
      secretKey: text('example-secret'),
      bucket: 'backups',
      endpoint: 's3.example.com',
    });
    new ProjectSecret(rancher, `secret-${copy}`, {
      name: name('secret'),
      project: TenantProject.fromName(rancher, `project-of-${copy}`, {
        cluster,
        name: `project-${into}`,
      }),
      type: isReplaced ? 'example.com/other' : undefined,
      data: { key: text(isEdited ? 'new' : 'old') },
    });
  },
};

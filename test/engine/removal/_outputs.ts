import { readdirSync } from 'fs';
import { join } from 'path';
import { complete, withEachText } from '../../../src/core/late/late-text';
import { Manifest, isRecord } from '../../../src/core/manifest/manifest';
import { Assembly, AssemblyLateValue } from '../../../src/core/output/assembly';
import { loadAssembly } from '../../../src/engine/read/load-assembly';
import { ANNOTATION_UPLOAD_FILE } from '../../../src/harvester/image/vm-image.kind';
import { SmallProgram } from '../graph/_assemblies';

/** An output in memory. */
export interface Output {
  readonly assembly: Assembly;
  readonly manifests: ReadonlyMap<string, Manifest>;
}

const EXAMPLES = join(__dirname, '../../../examples');

/** The examples with a committed output. */
export const NAMES: readonly string[] = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const loaded = new Map<string, Output>();

/** The committed output of an example. */
export function example(name: string): Output {
  const known = loaded.get(name);
  if (known) {
    return known;
  }
  const { assembly, manifests } = loadAssembly(join(EXAMPLES, name, 'dist'));
  const output = { assembly, manifests };
  loaded.set(name, output);
  return output;
}

/**
 * The objects of each construct, by its path; charts and constructs with one object are left out.
 */
export function constructsOf({ objects }: Assembly): string[][] {
  const below = new Map<string, string[]>();
  for (const { id, construct } of objects) {
    const steps = construct.split('/');
    for (let depth = 1; depth < steps.length; depth++) {
      const path = steps.slice(0, depth).join('/');
      below.set(path, [...(below.get(path) ?? []), id]);
    }
  }
  return [...below.values()].filter(({ length }) => length > 1);
}

/** A program without some of its objects. */
export function without({ assembly, manifests }: Output, removed: ReadonlySet<string>): Output {
  const groups = assembly.groups
    .map((group) => ({ ...group, objects: group.objects.filter((id) => !removed.has(id)) }))
    .filter(({ objects: { length } }) => length > 0);
  const objects = assembly.objects.filter(({ id }) => !removed.has(id));
  const ends = new Set([...objects, ...groups].map(({ id }) => id));
  return {
    manifests,
    assembly: {
      ...assembly,
      objects,
      groups,
      edges: assembly.edges.filter(({ from, to }) => ends.has(from) && ends.has(to)),
    },
  };
}

/** A guest cluster with all that it needs, its tenants, and what has nothing to do with it. */
export function platform(): SmallProgram {
  const program = new SmallProgram()
    .target('rancher', 'rancher')
    .target('dc1', 'harvester', { managedAs: 'rancher/c-m-1' });
  program.targets[0] = { ...program.targets[0], version: '2.13.8' };
  program.targets[1] = { ...program.targets[1], version: '1.7.2' };
  const PROVISIONING = 'provisioning.cattle.io/v1';
  const MANAGEMENT = 'management.cattle.io/v3';
  const RBAC = 'rbac.authorization.k8s.io/v1';
  program.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/dc1', {
    metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-1' } },
    spec: {},
  });
  program.object('rancher', 'v1', 'Secret', 'c-m-1/crt-token-gitops', { data: {} });
  program.object('dc1', 'harvesterhci.io/v1beta1', 'Setting', 'cluster-registration-url', {
    value: '{"url":"https://rancher.example.com/v3/import/t_c-m-1.yaml"}',
  });
  program.objects[2] = {
    ...program.objects[2],
    deletion: { policy: 'reset', reason: 'Harvester owns it' },
  };
  program.object('rancher', MANAGEMENT, 'Project', 'c-m-1/shop', {
    spec: { clusterName: 'c-m-1' },
  });
  program.object('dc1', 'v1', 'Namespace', 'shop-vms', {
    metadata: { annotations: { 'field.cattle.io/projectId': 'c-m-1:shop' } },
  });
  program.object('dc1', 'v1', 'ServiceAccount', 'shop-vms/shop');
  program.object('dc1', 'v1', 'Secret', 'shop-vms/shop-token', {
    metadata: { annotations: { 'kubernetes.io/service-account.name': 'shop' } },
    type: 'kubernetes.io/service-account-token',
    data: { token: Buffer.from('the-token-of-shop').toString('base64') },
  });
  program.object('dc1', RBAC, 'RoleBinding', 'shop-vms/shop', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cloud' },
    subjects: [{ kind: 'ServiceAccount', name: 'shop', namespace: 'shop-vms' }],
  });
  program.object('dc1', RBAC, 'ClusterRole', 'cloud', { rules: [] });
  program.object('dc1', 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'shop-vms/net');
  program.object('dc1', 'k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'shop-vms/other');
  const kubeconfig = (token: string): string =>
    Buffer.from(`users:\n- name: default\n  user:\n    token: ${token}\n`).toString('base64');
  program.object('rancher', 'v1', 'Secret', 'cattle-global-data/cc-dc1', {
    data: { 'harvestercredentialConfig-clusterId': Buffer.from('c-m-1').toString('base64') },
  });
  program.object('rancher', 'v1', 'Secret', 'fleet-default/cloud-config', {
    data: { credential: kubeconfig('the-token-of-shop') },
  });
  program.object(
    'rancher',
    'rke-machine-config.cattle.io/v1',
    'HarvesterConfig',
    'fleet-default/nc-shop',
    {
      vmNamespace: 'shop-vms',
      networkInfo: JSON.stringify({ interfaces: [{ networkName: 'shop-vms/net' }] }),
    },
  );
  program.object('rancher', PROVISIONING, 'Cluster', 'fleet-default/shop', {
    spec: {
      cloudCredentialSecretName: 'cattle-global-data:cc-dc1',
      kubernetesVersion: 'v1.33.6+rke2r1',
      rkeConfig: {
        machineSelectorConfig: [
          { config: { 'cloud-provider-config': 'secret://fleet-default:cloud-config' } },
        ],
        machinePools: [
          {
            name: 'all',
            quantity: 3,
            machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-shop' },
          },
        ],
      },
    },
  });
  // access of people
  program.object('rancher', MANAGEMENT, 'User', 'u-ana');
  program.object('rancher', 'v1', 'Secret', 'cattle-local-user-passwords/u-ana');
  program.object('rancher', MANAGEMENT, 'ProjectRoleTemplateBinding', 'c-m-1-shop/ana', {
    projectName: 'c-m-1:shop',
    userName: 'u-ana',
    roleTemplateName: 'project-owner',
  });
  program.object('rancher', MANAGEMENT, 'GlobalRoleBinding', 'grb-ana', {
    userName: 'u-ana',
    globalRoleName: 'user',
  });
  program.object('dc1', RBAC, 'RoleBinding', 'shop-vms/ana', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'User', name: 'u-ana' }],
  });
  program.object('dc1', 'networking.k8s.io/v1', 'NetworkPolicy', 'shop-vms/deny');
  // another tenant
  program.object('dc1', 'v1', 'Namespace', 'other');
  program.object('dc1', 'v1', 'ServiceAccount', 'other/ci');
  program.object('dc1', 'v1', 'Secret', 'other/ci-token', {
    metadata: { annotations: { 'kubernetes.io/service-account.name': 'ci' } },
  });
  return program;
}

const TOKEN = (namespace: string, name: string): string => `token-of-${namespace}-${name}`;

/** A late value as a live cluster would have it. */
function valueOf({ id, source }: AssemblyLateValue): readonly [string, string] {
  if (!('namespace' in source) || source.namespace === undefined) {
    return [id, `value-of-${id.replace(/[^a-z0-9]/g, '-')}`];
  }
  if (source.resolver === 'registration-url') {
    return [id, `https://rancher.example.com/v3/import/token_${source.namespace}.yaml`];
  }
  return [
    id,
    source.path === 'token' ? TOKEN(source.namespace, source.name) : `value-of-${source.name}`,
  ];
}

/** An output as it was applied, whose late values are known. */
export function applied({ assembly, manifests }: Output): Output {
  const known = new Map(
    assembly.lateValues.filter(({ source }) => !('text' in source)).map(valueOf),
  );
  const texts = new Map(
    assembly.lateValues.flatMap(({ id, source }) =>
      'text' in source ? [[id, source.text] as const] : [],
    ),
  );
  const values = withEachText(texts, known);
  const isThere = (end: string): boolean => !end.startsWith('late:');
  return {
    assembly: {
      ...assembly,
      objects: assembly.objects.map(({ template: _, lateValues: __, ...object }) => ({
        ...complete(object, values),
        id: object.id,
        file: `${object.target}/all.yaml`,
      })),
      // readiness is not what this is about
      edges: assembly.edges
        .filter(({ from, to }) => isThere(from) && isThere(to))
        .map((edge) => ({ ...edge, type: edge.type === 'ready' ? 'applied' : edge.type })),
      lateValues: [],
    },
    manifests: new Map(
      [...manifests].map(([id, manifest]) => [id, uploaded(withToken(complete(manifest, values)))]),
    ),
  };
}

/** Kubernetes writes the token of a ServiceAccount into its Secret. */
function withToken(manifest: Manifest): Manifest {
  const { namespace = '', name } = manifest.metadata;
  if (manifest.type !== 'kubernetes.io/service-account-token') {
    return manifest;
  }
  return {
    ...manifest,
    data: {
      ...(isRecord(manifest.data) ? manifest.data : {}),
      token: Buffer.from(TOKEN(namespace, name)).toString('base64'),
    },
  };
}

/** An image whose file was uploaded before. */
function uploaded(manifest: Manifest): Manifest {
  const { [ANNOTATION_UPLOAD_FILE]: file, ...annotations } = manifest.metadata.annotations ?? {};
  return file === undefined
    ? manifest
    : { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

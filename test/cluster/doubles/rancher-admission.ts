import { createHash } from 'node:crypto';
import { Refusal, Review, Webhook } from './admission';
import { Live } from './live';
import { RancherGeneration } from './rancher-generations';
import { Client } from '../client';

const MANAGEMENT = 'management.cattle.io/v3';
const NO_CREATOR = 'field.cattle.io/no-creator-rbac';
const CREATOR = 'field.cattle.io/creatorId';

/** Whether the webhook's cache has a management cluster. */
type KnowsCluster = (id: string) => Promise<boolean>;

/** The webhook of a Rancher. */
export function rancherWebhooks(
  client: Client,
  knowsCluster: KnowsCluster,
  { refusesUnknownRoles }: RancherGeneration,
): Webhook[] {
  const read = async (kind: string, name: string): Promise<Live | undefined> => {
    const answer = await client.read({ apiVersion: MANAGEMENT, kind, metadata: { name } });
    return answer.status === 200 ? (answer.body as Live) : undefined;
  };
  return [
    {
      name: nameOf('projects', MANAGEMENT),
      apiVersion: MANAGEMENT,
      resource: 'projects',
      operations: ['CREATE', 'UPDATE'],
      mutate: project,
    },
    {
      name: nameOf('projects', MANAGEMENT),
      apiVersion: MANAGEMENT,
      resource: 'projects',
      operations: ['CREATE'],
      validate: async (review) => judgeProject(client, review, knowsCluster),
    },
    {
      name: nameOf('roletemplates', MANAGEMENT),
      apiVersion: MANAGEMENT,
      resource: 'roletemplates',
      operations: ['CREATE', 'UPDATE'],
      validate: async ({ object }) => {
        for (const name of (object.roleTemplateNames as string[] | undefined) ?? []) {
          // a failure of the webhook, not a refusal
          if (!(await read('RoleTemplate', name))) {
            return internalError(
              `unable to get roletemplate ${name} with error roletemplates.management.cattle.io "${name}" not found`,
            );
          }
        }
        return undefined;
      },
    },
    {
      name: nameOf('projectroletemplatebindings', MANAGEMENT),
      apiVersion: MANAGEMENT,
      resource: 'projectroletemplatebindings',
      operations: ['CREATE'],
      validate: async ({ object }) => {
        const name = object.roleTemplateName as string;
        return !refusesUnknownRoles || (await read('RoleTemplate', name))
          ? undefined
          : {
              code: 400,
              message: `projectroletemplatebinding.roleTemplateName: Invalid value: "${name}": the referenced role template was not found`,
            };
      },
    },
    {
      name: nameOf('globalrolebindings', MANAGEMENT),
      apiVersion: MANAGEMENT,
      resource: 'globalrolebindings',
      operations: ['CREATE'],
      mutate: async (binding) => {
        const role = await read('GlobalRole', binding.globalRoleName as string);
        if (!role) {
          return;
        }
        const { name, uid } = role.metadata as unknown as { name: string; uid: string };
        (binding.metadata as { ownerReferences?: object[] }).ownerReferences = [
          { apiVersion: MANAGEMENT, kind: 'GlobalRole', name, uid },
        ];
      },
    },
    {
      name: 'rancher.cattle.io.machineconfigs',
      apiVersion: 'rke-machine-config.cattle.io/v1',
      resource: 'harvesterconfigs',
      operations: ['CREATE'],
      mutate: (config, { userInfo }) => annotate(config, CREATOR, userInfo.username),
    },
    {
      name: nameOf('clusters', 'provisioning.cattle.io'),
      apiVersion: 'provisioning.cattle.io/v1',
      resource: 'clusters',
      operations: ['CREATE', 'UPDATE'],
      mutate: cluster,
    },
    {
      name: nameOf('clusters', 'provisioning.cattle.io'),
      apiVersion: 'provisioning.cattle.io/v1',
      resource: 'clusters',
      operations: ['CREATE'],
      // a dry run does not get the annotation that the creation gets: test/recordings: seen, dry
      // run
      validate: ({ object, dryRun }) =>
        dryRun && !object.metadata.annotations?.[NO_CREATOR]
          ? { code: 400, message: 'creatorID annotation does not match user' }
          : undefined,
    },
  ];
}

function nameOf(resource: string, group: string): string {
  return `rancher.cattle.io.${resource}.${group.split('/')[0]}`;
}

function project(draft: Live): void {
  annotate(
    draft,
    'authz.management.cattle.io/creator-role-bindings',
    JSON.stringify({ required: ['project-owner'] }),
  );
  if (draft.spec.resourceQuota) {
    draft.spec.resourceQuota.usedLimit ??= {};
  }
  draft.status ??= {};
  draft.status.backingNamespace ??= `${draft.spec.clusterName}-${draft.metadata.name}`;
}

/** The webhook makes the backing Namespace itself, at once: test/recordings: seen, projects. */
async function judgeProject(
  client: Client,
  { object, dryRun }: Review,
  knowsCluster: KnowsCluster,
): Promise<Refusal | undefined> {
  const { clusterName, resourceQuota, namespaceDefaultResourceQuota } = object.spec;
  if (!(await knowsCluster(clusterName as string))) {
    return {
      code: 400,
      message: `project.spec.clusterName: Invalid value: "${clusterName}": cluster not found`,
    };
  }
  if (resourceQuota && !namespaceDefaultResourceQuota) {
    // test/recordings: seen, projects
    return {
      code: 422,
      message:
        'project.spec.namespaceDefaultResourceQuota: Required value: required when resourceQuota is set',
    };
  }
  if (dryRun) {
    return undefined;
  }
  const name = object.status.backingNamespace as string;
  const { status } = await client.request('POST', '/api/v1/namespaces', {
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  });
  return status === 409
    ? {
        code: 500,
        message: `failed to create project namespace : namespace ${name} already exists`,
      }
    : undefined;
}

function cluster(draft: Live, { operation, dryRun, userInfo }: Review): void {
  // test/recordings: seen, dry run
  if (operation === 'CREATE' && !dryRun && !draft.metadata.annotations?.[NO_CREATOR]) {
    annotate(draft, CREATOR, userInfo.username);
  }
  const template = draft.spec?.defaultPodSecurityAdmissionConfigurationTemplateName as
    string | undefined;
  if (template) {
    podSecurity(draft, template);
  }
}

const POD_SECURITY_FILE = '/etc/rancher/rke2/config/rancher-psact.yaml';

function podSecurity({ metadata, spec }: Live, template: string): void {
  const config = spec.rkeConfig.machineGlobalConfig as { [key: string]: string[] };
  const argument = `admission-control-config-file=${POD_SECURITY_FILE}`;
  if (!config['kube-apiserver-arg']?.includes(argument)) {
    config['kube-apiserver-arg'] = [...(config['kube-apiserver-arg'] ?? []), argument];
  }
  const name = `${metadata.name}-admission-configuration-psact`;
  const files = (spec.rkeConfig.machineSelectorFiles ??= []) as {
    fileSources: { secret: { name: string } }[];
  }[];
  if (files.some(({ fileSources }) => fileSources.some(({ secret }) => secret.name === name))) {
    return;
  }
  const item = {
    key: 'admission-config-psact',
    path: POD_SECURITY_FILE,
    hash: createHash('sha256').update(template).digest('base64'),
  };
  files.push({
    fileSources: [{ configMap: { name: '' }, secret: { name, items: [item] } }],
    machineLabelSelector: { matchLabels: { 'rke.cattle.io/control-plane-role': 'true' } },
  } as unknown as (typeof files)[number]);
}

function annotate({ metadata }: Live, name: string, value: string): void {
  (metadata as { annotations?: object }).annotations = { ...metadata.annotations, [name]: value };
}

function internalError(text: string): Refusal {
  return {
    code: 500,
    message: `Internal error occurred: ${text}`,
    reason: 'InternalError',
    causes: [text],
    broken: true,
  };
}

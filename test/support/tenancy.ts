import { cluster } from './judging';
import { Manifest } from '../../src/core/manifest/manifest';
import { Finding } from '../../src/core/rule/finding';
import { judge } from '../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, World } from '../../src/core/rule/rule';
import { ALL_RULES } from '../../src/registry/all-rules';

export const ID = 'c-m-harvdc01';
export const RANCHER: JudgedTarget = { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8' };
export const HARVESTER: JudgedTarget = {
  name: 'dc1',
  kind: 'harvester',
  harvesterVersion: '1.7.2',
};

const management = (
  kind: string,
  name: string,
  namespace: string | undefined,
  fields: object,
): Manifest => ({
  apiVersion: 'management.cattle.io/v3',
  kind,
  metadata: { name, ...(namespace ? { namespace } : {}) },
  ...fields,
});

export const IMPORT = cluster(
  'dc1',
  {},
  { annotations: { 'provisioning.cattle.io/management-cluster-name': ID } },
);
export const project = (name = 'payments', spec: object = {}, metadata: object = {}): Manifest => {
  const manifest = management('Project', name, ID, {
    spec: { displayName: name, clusterName: ID, ...spec },
  });
  return { ...manifest, metadata: { ...manifest.metadata, ...metadata } };
};
export const namespace = (
  name: string,
  annotations: object = {},
  metadata: object = {},
): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations: { ...annotations } as { [key: string]: string }, ...metadata },
});
export const tenant = (name: string, of = `${ID}:payments`, annotations: object = {}): Manifest =>
  namespace(name, { 'field.cattle.io/projectId': of, ...annotations });
export const prtb = (fields: object = {}, name = 'prtb-1', where = `${ID}-payments`): Manifest =>
  management('ProjectRoleTemplateBinding', name, where, {
    projectName: `${ID}:payments`,
    roleTemplateName: 'project-owner',
    userPrincipalName: 'okta_user://ana',
    ...fields,
  });
export const crtb = (fields: object = {}, name = 'crtb-1', where = ID): Manifest =>
  management('ClusterRoleTemplateBinding', name, where, {
    clusterName: ID,
    roleTemplateName: 'cluster-member',
    groupPrincipalName: 'okta_group://ops',
    ...fields,
  });
export const grb = (fields: object = {}, name = 'grb-1'): Manifest =>
  management('GlobalRoleBinding', name, undefined, {
    globalRoleName: 'user',
    userName: 'u-ana',
    ...fields,
  });
export const role = (name: string, fields: object = {}): Manifest =>
  management('RoleTemplate', name, undefined, {
    context: 'project',
    rules: [{ apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['get'] }],
    ...fields,
  });
export const globalRole = (name: string, fields: object = {}): Manifest =>
  management('GlobalRole', name, undefined, fields);
export const user = (name: string, fields: object = {}): Manifest =>
  management('User', name, undefined, fields);

/**
 * The world of a test: manifests on Rancher, on Harvester, live ones and previous ones on Rancher.
 */
export interface Tenancy {
  readonly rancher?: readonly Manifest[];
  readonly harvester?: readonly Manifest[];
  readonly live?: readonly Manifest[];
  readonly before?: readonly Manifest[];
  readonly harvesterBefore?: readonly Manifest[];
  /** Of Rancher. */
  readonly version?: string;
}

/** The findings of rules whose id begins with a family. */
export function findingsOf(
  family: string,
  {
    rancher = [],
    harvester = [],
    live = [],
    before = [],
    harvesterBefore = [],
    version = '2.13.8',
  }: Tenancy,
): Finding[] {
  const onRancher = { ...RANCHER, rancherVersion: version };
  const on = (target: JudgedTarget, list: readonly Manifest[]): JudgedObject[] =>
    list.map((manifest) => ({ manifest, target }));
  const rules = ALL_RULES.filter(({ id }) => id.startsWith(family));
  const judged = [...on(onRancher, rancher), ...on(HARVESTER, harvester)];
  return judge(
    rules,
    new World(judged, on(onRancher, live), [
      ...on(onRancher, before),
      ...on(HARVESTER, harvesterBefore),
    ]),
  );
}

/** The findings as `level rule path`. */
export function briefOf(family: string, tenancy: Tenancy): string[] {
  return findingsOf(family, tenancy).map(({ level, rule, path }) =>
    `${level} ${rule} ${path}`.trim(),
  );
}

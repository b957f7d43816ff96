import { ApiObject } from 'cdk8s';
import { IConstruct } from 'constructs';
import { ANNOTATION_PRINCIPAL_DISPLAY_NAME, BINDING_PREFIX } from './binding.kind';
import { ResourceGroup, ResourceManifest } from '../../core/app/resource';
import { Ordering, OrderingType } from '../../core/construct/edge';
import { IRancherTarget, targetOf } from '../../core/construct/target';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS } from '../../core/manifest/names';
import { fail, Problem } from '../../core/problem/problem';
import {
  bindingName as derivedName,
  BindingSubject,
  Principal,
  subjectOf,
} from '../members/principal';
import { RoleKind } from '../role/role.kind';
import { BindableRole, checkBindable, ClusterMemberRole } from '../role/roles';
import { RancherVersion } from '../version/rancher-version';

/** A binding to write. */
export interface BindingParts {
  readonly kind: string;
  readonly prefix: string;
  readonly role: BindableRole;
  readonly principal: Principal;
  /** The cluster or project, which its name is derived from; undefined for a global role. */
  readonly place?: string;
  /** Replaces a late place in the derived name. */
  readonly placeName?: string;
  readonly namespace?: string;
  /** Fields other than those of the subject. */
  readonly fields: { readonly [key: string]: unknown };
  /** The fields of the subject. Default: those of the principal. */
  readonly subject?: BindingSubject;
  /** Its name. @default - derived */
  readonly name?: string;
  /** Objects that are applied before the binding. */
  readonly after: readonly (IConstruct | undefined)[];
}

/** Options of a member of a cluster or project. */
export interface MemberOptions {
  /**
   * The name of the member's binding, for one that exists under another name than the derived one,
   * e.g. `prtb-x7k2p` of Rancher's UI.
   * @default - the name that Rancher's webhook derives from principal, role and place
   */
  readonly bindingName?: string;
}

/**
 * Checks members: their roles in a place of this kind on this version of Rancher, their principals,
 * and that none has a role twice.
 */
export function checkMembers(
  members: readonly (Pick<BindingParts, 'principal'> &
    MemberOptions & { readonly role: { readonly _role: BindableRole } })[],
  kind: RoleKind,
  version: RancherVersion,
  rancher: IRancherTarget,
): Problem[] {
  const keys =
    members.length < 2
      ? []
      : members.map(({ role, principal }) =>
          JSON.stringify([role._role.name, principal._fields()]),
        );
  return members.flatMap(({ role: member, principal, bindingName: name }, index) => {
    const role = member._role;
    const isTwice = keys.length > 0 && keys.indexOf(keys[index]) !== index;
    return checkBindingName('bindingName', name).concat(
      checkBindable('members', role, kind, version),
      checkSameRancher('members', role.construct, rancher),
      checkSameRancher('members', principal._user, rancher),
      principal._check('members'),
      isTwice ? twice(principal, role) : [],
    );
  });
}

/** Checks that an object is of a Rancher, if it is one of the program's. */
export function checkSameRancher(
  path: string,
  object: IConstruct | undefined,
  rancher: IRancherTarget,
): Problem[] {
  const target = object && targetOf(object);
  if (!target || target === rancher) {
    return [];
  }
  return [
    {
      path,
      value: object.node.path,
      message: `must be of the same Rancher, ${rancher.targetName}: it is on ${target.targetName}`,
      fix: `use one on ${rancher.targetName}`,
    },
  ];
}

function twice({ principalId: value }: Principal, { name }: BindableRole): Problem {
  return {
    path: 'members',
    value,
    message: `cannot have the role ${name} twice`,
    fix: 'remove one of the two',
  };
}

/** Checks the name of a binding that exists. */
function checkBindingName(path: string, name: string | undefined): Problem[] {
  return name === undefined || OBJECT_NAME.test(name)
    ? []
    : [
        {
          path,
          value: name,
          message: 'must be the name of an object',
          fix: 'copy the name of the live binding, e.g. prtb-x7k2p, or remove it',
        },
      ];
}

const OBJECT_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The name that Rancher's webhook would derive. */
export function bindingNameOf({
  prefix,
  role,
  principal,
  place,
  placeName,
}: Pick<BindingParts, 'prefix' | 'role' | 'principal' | 'place' | 'placeName'>): string {
  return derivedName(
    prefix,
    subjectOf(principal._fields())!,
    role.name,
    place !== undefined && isLate(place) ? placeName : place,
  );
}

/**
 * Writes a binding of a role to a principal, by default with the name that Rancher's webhook would
 * derive. Refuses a second one of the same role and principal.
 * The ID of its construct is the name of the binding.
 */
export function writeBinding(scope: ResourceGroup, parts: BindingParts): ApiObject {
  const name = parts.name ?? bindingNameOf(parts);
  if (scope.node.tryFindChild(name)) {
    fail(scope, [
      parts.name === undefined
        ? twice(parts.principal, parts.role)
        : {
            path: 'bindingName',
            value: name,
            message: 'must be unique: another binding of the same construct has this name',
            fix: 'use the name of the binding of this member',
          },
    ]);
  }
  return writeBindingBy(parts, (manifest) =>
    scope._writePart(name, { ...manifest, metadata: { ...manifest.metadata, name } }),
  );
}

/** Writes a binding by the construct that it is the part or the object of. */
export function writeBindingBy(
  parts: BindingParts,
  writer: (manifest: ResourceManifest) => ApiObject,
): ApiObject {
  const { role, principal } = parts;
  const subject = parts.subject ?? principal._fields();
  const { displayName } = principal._options;
  const binding = writer({
    apiVersion: API_VERSIONS.MANAGEMENT,
    kind: parts.kind,
    metadata: {
      namespace: parts.namespace,
      annotations:
        displayName === undefined
          ? undefined
          : { [ANNOTATION_PRINCIPAL_DISPLAY_NAME]: displayName },
    },
    ...parts.fields,
    ...subject,
  });
  for (const other of [...parts.after, role.construct, principal._user]) {
    if (other) {
      Ordering.of(binding)._add(other, OrderingType.APPLIED);
    }
  }
  return binding;
}

/** A member of a cluster: who gets which role. */
interface ClusterGrant extends MemberOptions {
  readonly principal: Principal;
  readonly role: ClusterMemberRole;
}

/** The cluster of a binding. */
interface BoundCluster extends IConstruct {
  readonly clusterId: string;
}

/** Writes the binding of a member of a cluster. */
export function writeClusterBinding(
  scope: ResourceGroup,
  { clusterId, node }: BoundCluster,
  { principal, role, bindingName }: ClusterGrant,
): void {
  writeBinding(scope, {
    kind: 'ClusterRoleTemplateBinding',
    prefix: BINDING_PREFIX.cluster,
    role: role._role,
    principal,
    name: bindingName,
    place: clusterId,
    placeName: node.path,
    namespace: clusterId,
    fields: { clusterName: clusterId, roleTemplateName: role._role.name },
    after: [node.defaultChild],
  });
}

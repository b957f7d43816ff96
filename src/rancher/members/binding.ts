import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { ANNOTATION_PRINCIPAL_DISPLAY_NAME } from './binding.kind';
import { BindingSubject, Principal, bindingName, subjectOf } from './principal';
import { checkPrincipal } from './principal.check';
import { EdgeType, Edges } from '../../core/late/edge';
import { isLate } from '../../core/late/late-token';
import { API_VERSIONS } from '../../core/manifest/names';
import { note } from '../../core/manifest/object-notes';
import { Problem, fail } from '../../core/rule/problem';
import { BindableRole, checkBindable } from '../role/bindable-role';
import { RoleKind } from '../role/built-in-role.data';
import { RancherVersion } from '../version/rancher-version';

/** A binding to write. */
interface BindingParts {
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
  /** Objects that are applied before the binding. */
  readonly after: readonly (IConstruct | undefined)[];
  readonly gone: string;
}

/** A member of a cluster or project. */
interface Member {
  readonly role: { readonly _role: BindableRole };
  readonly principal: Principal;
}

/** Checks members: their roles in a place of this kind on this version of Rancher, their principals, and that none has a role twice. */
export function checkMembers(members: readonly Member[], kind: RoleKind, version: RancherVersion): Problem[] {
  const keys = members.map(({ role, principal }) => JSON.stringify([role._role.name, principal._fields()]));
  return members.flatMap(({ role: { _role: role }, principal }, index) => [
    ...checkBindable('members', role, kind, version),
    ...checkPrincipal('members', principal.principalId, principal._kind),
    ...(keys.indexOf(keys[index]) === index ? [] : [twice(principal, role)]),
  ]);
}

function twice({ principalId: value }: Principal, { name }: BindableRole): Problem {
  return { path: 'members', value, message: `cannot have the role ${name} twice`, fix: 'remove one of the two' };
}

/**
 * Writes a binding of a role to a principal, with the name that Rancher's webhook would derive. Refuses a second one of the same role and principal.
 * The ID of its construct is the name of the binding.
 */
export function writeBinding(scope: Construct, parts: BindingParts): ApiObject {
  const { role, principal } = parts;
  const subject = subjectOf(principal._fields())!;
  const place = parts.place !== undefined && isLate(parts.place) ? parts.placeName : parts.place;
  const name = bindingName(parts.prefix, subject, role.name, place);
  if (scope.node.tryFindChild(name)) { fail(scope, [twice(principal, role)]); }
  const { displayName } = principal._options;
  const binding = new ApiObject(scope, name, {
    apiVersion: API_VERSIONS.MANAGEMENT,
    kind: parts.kind,
    metadata: {
      name,
      namespace: parts.namespace,
      annotations: displayName === undefined ? undefined : { [ANNOTATION_PRINCIPAL_DISPLAY_NAME]: displayName },
    },
    ...parts.fields,
    ...parts.subject ?? principal._fields(),
  });
  note(binding, {
    deletion: { policy: 'delete', reason: parts.gone },
    // Rancher completes the subject by the other form of its name
    othersWrite: [
      'userName', 'userPrincipalName', 'groupName', 'metadata.labels', 'metadata.annotations', 'metadata.finalizers', 'metadata.ownerReferences', 'status',
    ].filter((path) => !(path in (parts.subject ?? principal._fields()))),
  });
  for (const other of [...parts.after, role.construct, principal._user]) {
    if (other) { Edges.of(binding)._add(other, EdgeType.APPLIED); }
  }
  return binding;
}

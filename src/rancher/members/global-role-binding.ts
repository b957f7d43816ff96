import { Construct } from 'constructs';
import { writeBinding } from './binding';
import { BINDING_PREFIX } from './binding.kind';
import { Principal } from './principal';
import { checkPrincipal } from './principal.check';
import { rancherTargetOf } from '../../core/app/target';
import { Problem, failOnErrors } from '../../core/rule/problem';
import { FeatureGates } from '../../core/version/feature-gates';
import { GateId } from '../../core/version/gate-id';
import { checkBindable } from '../role/bindable-role';
import { GlobalPermission } from '../role/global-role';
import { RancherVersion } from '../version/rancher-version';

/**
 * Properties of a GlobalRoleBinding.
 */
export interface GlobalRoleBindingProps {
  /** The role. Immutable. */
  readonly permission: GlobalPermission;
  /** The user or group that receives the role. Immutable. Users of authentication providers need Rancher 2.11.0. */
  readonly principal: Principal;
}

/**
 * Grants a user or a group a global role of Rancher.
 *
 * All fields are immutable: for another role or principal it is another binding, whose name is derived from both.
 */
export class GlobalRoleBinding extends Construct {
  /** The name of the GlobalRoleBinding object. */
  public readonly bindingName: string;

  constructor(scope: Construct, id: string, props: GlobalRoleBindingProps) {
    super(scope, id);
    const version = RancherVersion.parse(rancherTargetOf(this, 'GlobalRoleBinding').version);
    const { permission: { _role: role }, principal } = props;
    failOnErrors(this, [...checkBindable('permission', role, 'global', version), ...checkSubject(principal, version)]);
    const local = principal._localName();
    const binding = writeBinding(this, {
      kind: 'GlobalRoleBinding',
      prefix: BINDING_PREFIX.global,
      role,
      principal,
      fields: { globalRoleName: role.name },
      // by the name of the User, which every version accepts: the form can never change
      subject: local === undefined ? principal._fields() : { userName: local },
      after: [],
      gone: 'takes the role in Rancher',
    });
    this.bindingName = binding.name;
  }
}

function checkSubject(principal: Principal, version: RancherVersion): Problem[] {
  const problems = checkPrincipal('principal', principal.principalId, principal._kind);
  if (principal._kind !== 'user' || principal._localName() !== undefined) { return problems; }
  const gate = FeatureGates.of(GateId.GLOBAL_BINDING_USER_PRINCIPAL).problem(version, '');
  return gate ? [...problems, { path: 'principal', value: principal.principalId, message: gate, fix: 'grant the role to a group or a local user' }] : problems;
}

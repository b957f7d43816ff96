import { ApiObject } from 'cdk8s';
import { Construct, IConstruct } from 'constructs';
import { IHarvesterImport } from './harvester-import';
import { ServiceAccountKubeconfig } from '../harvester/_service-account';
import { EdgeType, Edges, LateValue } from '../late';
import { HARVESTER_SYSTEM } from '../model/cloud-provider-names';
import { NODE_DRIVER_LOOKUP_RULES, NODE_DRIVER_RULES, PolicyRule } from '../model/driver-role';
import { fail } from '../model/errors';
import { INamespace } from '../model/namespace';
import { note } from '../model/object-notes';
import { Problem } from '../model/problem';
import { ITarget } from '../model/target';
import { TargetKind } from '../model/target-kind';
import { safeConcatName } from '../model/tenancy/backing-namespace';

/** What a credential says of its account. */
interface CredentialAccountProps {
  readonly name: string;
  readonly namespace?: string;
  readonly clusterRole?: string;
  readonly server?: string;
}

const REASON = 'machines of clusters that use the cloud credential can then be neither made nor removed';

/**
 * The ServiceAccount behind a cloud credential, with its roles, on the Harvester. Not exported.
 */
export class CredentialAccount extends Construct {
  /** @internal */
  public static _below(credential: Construct, harvester: IHarvesterImport, props: CredentialAccountProps): CredentialAccount {
    const target = harvesterOf(credential, harvester);
    const scope = target as unknown as Construct;
    const id = `CloudCredential-${props.name}`;
    const other = scope.node.tryFindChild(id);
    if (other) {
      fail(credential, [{
        path: 'serviceAccountName',
        value: props.name,
        message: `is taken on this Harvester by ${other.node.path}`,
        fix: 'choose another serviceAccountName',
      }]);
    }
    return new CredentialAccount(scope, id, target, credential, props);
  }

  private readonly account: ServiceAccountKubeconfig;
  private readonly role: string;
  private readonly name: string;

  private constructor(
    scope: Construct, id: string, private readonly harvester: ITarget, private readonly credential: IConstruct, props: CredentialAccountProps,
  ) {
    super(scope, id);
    const { name, namespace = HARVESTER_SYSTEM, server } = props;
    this.account = new ServiceAccountKubeconfig(this, 'Account', {
      name,
      namespace,
      tokenSecret: safeConcatName(name, 'token'),
      cluster: 'default',
      context: 'default',
      contextNamespace: namespace,
      server,
      deletionReason: REASON,
    });
    this.name = name;
    this.role = props.clusterRole ?? name;
    if (props.clusterRole === undefined) { this.writeRole('Role', name, NODE_DRIVER_RULES); }
    const lookup = `${name}-lookup`;
    this.writeRole('LookupRole', lookup, NODE_DRIVER_LOOKUP_RULES);
    this.account.bindEverywhere('LookupBinding', lookup, lookup);
  }

  public get kubeconfig(): LateValue {
    return this.account.kubeconfig;
  }

  public allow(namespace: INamespace): void {
    const { namespaceName: name, target } = namespace;
    if (target !== this.harvester) { fail(this.credential, [elsewhere(namespace, this.harvester)]); }
    const id = `Binding-${name}`;
    if (this.account.node.tryFindChild(id)) { return; }
    Edges.of(this.account.bind(id, this.name, name, this.role))._add(namespace, EdgeType.APPLIED);
  }

  private writeRole(id: string, name: string, rules: readonly PolicyRule[]): void {
    const role = new ApiObject(this, id, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules });
    note(role, { deletion: { policy: 'delete', reason: REASON } });
  }
}

/** The Harvester itself; throws where the program knows no more of it than its id on Rancher. */
export function harvesterOf(construct: IConstruct, { target }: IHarvesterImport): ITarget {
  if (target?.targetKind !== TargetKind.HARVESTER) {
    fail(construct, [{
      path: 'harvester',
      message: 'is no target of the program, so no account can be made on it',
      fix: 'give HarvesterImport.fromClusterId its HarvesterChart, or use CloudCredential.imported, .external or .fromName',
    }]);
  }
  return target;
}

function elsewhere({ namespaceName, target }: INamespace, harvester: ITarget): Problem {
  return {
    path: 'namespaces',
    value: namespaceName,
    message: `lies on ${target.targetName}, not on ${harvester.targetName}`,
    fix: 'give a namespace of the Harvester of the credential',
  };
}

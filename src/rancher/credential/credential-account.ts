import { Construct, IConstruct } from 'constructs';
import { ResourceGroup, ResourceOptions } from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { noteEffect } from '../../core/construct/object-notes';
import { own } from '../../core/construct/ownership';
import {
  IHarvesterTarget,
  INamespace,
  ITarget,
  TargetKind,
  chartOf,
  harvesterTargetOf,
} from '../../core/construct/target';
import { API_VERSIONS } from '../../core/manifest/names';
import { Problem, fail, failOnErrors } from '../../core/problem/problem';
import { safeConcatName } from '../../core/text/plain-text';
import { SecretValue } from '../../core/value/secret-value';
import { HARVESTER_SYSTEM } from '../../guest/cloud-provider/cloud-provider.kind';
import {
  NODE_DRIVER_LOOKUP_RULES,
  DriverGrant,
} from '../../guest/machine-config/machine-config.kind';
import { AccountKubeconfig, checkServer } from '../../harvester/account/account-kubeconfig';
import { AccountRole } from '../../harvester/account/service-account-kubeconfig';
import { IHarvesterImport } from '../import/harvester-import';

/** The account of a credential. */
interface CredentialAccountProps extends ResourceOptions {
  readonly name: string;
  readonly namespace?: string;
  readonly role?: AccountRole;
  readonly server?: string;
}

const REASON =
  'Rancher can then neither create nor delete machines of clusters that use the cloud credential';

/** The ServiceAccount of a cloud credential on Harvester, with its roles. */
export class CredentialAccount extends ResourceGroup {
  /** Creates the account on the Harvester of the import. */
  public static of(
    credential: Construct,
    harvester: IHarvesterImport,
    namespaces: readonly INamespace[],
    props: CredentialAccountProps,
  ): CredentialAccount {
    const target = harvesterOf(credential, harvester);
    const scope = chartOf(target);
    const id = `CloudCredential-${props.name}`;
    const other = scope.node.tryFindChild(id);
    failOnErrors(credential, [
      ...(other
        ? [
            {
              path: 'serviceAccountName',
              value: props.name,
              message: `must be unique on this Harvester: ${other.node.path} has this name`,
              fix: 'choose another serviceAccountName',
            },
          ]
        : []),
      ...checkServer(props.server, target),
      ...namespaces.flatMap((namespace) => elsewhere(namespace, target)),
    ]);
    return own(credential, new CredentialAccount(scope, id, credential, props));
  }

  private readonly account: AccountKubeconfig;
  private readonly role: string;
  private readonly name: string;

  private constructor(
    scope: Construct,
    id: string,
    private readonly credential: IConstruct,
    props: CredentialAccountProps,
  ) {
    super(scope, id, props);
    noteEffect(this, REASON);
    const {
      name,
      namespace = HARVESTER_SYSTEM,
      role = AccountRole.nodeDriver(),
      server,
      labels,
      annotations,
    } = props;
    this.account = new AccountKubeconfig(this, 'Account', {
      name,
      namespace,
      tokenSecret: safeConcatName(name, 'token'),
      cluster: 'default',
      context: 'default',
      contextNamespace: namespace,
      server,
      labels,
      annotations,
    });
    this.name = name;
    const { clusterRole, rules = [], everywhere = [] } = role._parts;
    this.role = clusterRole ?? name;
    if (clusterRole === undefined) {
      this.writeRole('Role', name, rules);
    }
    const lookup = `${name}-lookup`;
    this.writeRole('LookupRole', lookup, [
      ...new Set([...NODE_DRIVER_LOOKUP_RULES, ...everywhere]),
    ]);
    this.account.bindEverywhere('LookupBinding', lookup, lookup);
  }

  /** The kubeconfig of the account. */
  public get kubeconfig(): SecretValue {
    return this.account.kubeconfig;
  }

  /** @internal */
  public _requireTarget(): IHarvesterTarget {
    return harvesterTargetOf(this, 'CloudCredential');
  }

  /** Lets Rancher create machines in a namespace. Has no effect if it may already. */
  public grant(namespace: INamespace): void {
    const { name } = namespace;
    failOnErrors(this.credential, elsewhere(namespace, this.target));
    const id = `Binding-${name}`;
    if (this.account.node.tryFindChild(id)) {
      return;
    }
    Ordering.of(this.account.bind(id, this.name, name, this.role))._add(
      namespace,
      OrderingType.APPLIED,
    );
  }

  private writeRole(id: string, name: string, rules: readonly DriverGrant[]): void {
    this._writePart(id, {
      apiVersion: API_VERSIONS.RBAC,
      kind: 'ClusterRole',
      metadata: { name },
      rules,
    });
  }
}

/** The Harvester itself. Throws if the program knows only its management cluster ID. */
export function harvesterOf(
  construct: IConstruct,
  { _clusterTarget: target }: IHarvesterImport,
): IHarvesterTarget {
  if (target?.targetKind !== TargetKind.HARVESTER) {
    fail(construct, [
      {
        path: 'harvesterImport',
        message: 'must be a target of the program, which creates an account there',
        fix: 'pass the HarvesterChart to HarvesterImport.fromClusterId, or use CloudCredential.imported, .external or .fromName',
      },
    ]);
  }
  return target as IHarvesterTarget;
}

function elsewhere({ name: namespaceName, target }: INamespace, harvester: ITarget): Problem[] {
  if (target === harvester) {
    return [];
  }
  return [
    {
      path: 'namespaces',
      value: namespaceName,
      message: `must be a namespace on ${harvester.targetName}, not on ${target.targetName}`,
      fix: 'use a namespace on the Harvester of the credential',
    },
  ];
}

import { Construct } from 'constructs';
import { AccountKubeconfig, checkServer } from './account-kubeconfig';
import { VmPreset, vmPresetRules } from './vm-role.data';
import {
  Resource,
  ResourceOptions,
  ResourceProps,
  labelName,
  namespaceOf,
  objectName,
} from '../../core/app/resource';
import { Ordering, OrderingType } from '../../core/construct/edge';
import { INamespace, ITarget, targetOf } from '../../core/construct/target';
import { API_VERSIONS, RFC1123_LABEL, HARVESTER_PUBLIC } from '../../core/manifest/names';
import { rfc1123LabelProblem } from '../../core/problem/label';
import { Problem, fail, failOnErrors, parsed } from '../../core/problem/problem';
import { safeConcatName } from '../../core/text/plain-text';
import { SecretValue } from '../../core/value/secret-value';
import {
  NODE_DRIVER_LOOKUP_RULES,
  NODE_DRIVER_GRANTS,
  DriverGrant,
} from '../../guest/machine-config/machine-config.kind';
import { POLICY_RULES, PolicyRule } from '../../rancher/role/role-template';
import { checkPolicyRules } from '../../rancher/role/role.check';
import { objectNamespace } from '../harvester-object';
import { NamespacedHarvesterResource } from '../harvester-resource';

/** The parts of a role. */
interface RoleParts {
  /** The last part of the names of its Role and bindings. */
  readonly name: string;
  readonly rules?: readonly DriverGrant[];
  /** Rules on cluster-scoped objects and on objects in all namespaces. */
  readonly everywhere?: readonly DriverGrant[];
  readonly clusterRole?: string;
}

/** Permissions of a ServiceAccount on a Harvester. */
export class AccountRole {
  /**
   * Sees virtual machines, images, networks, volumes and backups, but no Secrets: the verbs of
   * `RoleTemplate.vmViewer`.
   */
  public static vmViewer(): AccountRole {
    return AccountRole.ofPreset('vm-viewer', 'viewer');
  }

  /**
   * Starts, stops, restarts and pauses virtual machines, and opens their consoles: the verbs of
   * `RoleTemplate.vmOperator`.
   */
  public static vmOperator(): AccountRole {
    return AccountRole.ofPreset('vm-operator', 'operator');
  }

  /**
   * Creates, changes and deletes virtual machines, volumes, SSH keys, templates, backups and
   * Secrets: the verbs of `RoleTemplate.vmCreator`.
   */
  public static vmCreator(): AccountRole {
    return AccountRole.ofPreset('vm-creator', 'creator');
  }

  /**
   * Sees images, templates, networks and storage classes: the verbs of `RoleTemplate.imageUser`.
   */
  public static imageUser(): AccountRole {
    return AccountRole.ofPreset('image-user', 'imageUser');
  }

  /**
   * Creates and deletes the machines of guest clusters, as the Harvester node driver does.
   * `CloudCredential.serviceAccount` grants it itself.
   */
  public static nodeDriver(): AccountRole {
    return new AccountRole({
      name: 'node-driver',
      rules: NODE_DRIVER_GRANTS,
      everywhere: NODE_DRIVER_LOOKUP_RULES,
    });
  }

  /** A ClusterRole that exists on the Harvester, e.g. `view`, in one namespace. */
  public static clusterRole(name: string): AccountRole {
    return new AccountRole({ name, clusterRole: name });
  }

  /**
   * Rules of your own, in one namespace.
   *
   * @param name the last part of the name of the Role: an RFC 1123 label, different for each role of an account
   * @param rules on namespaced objects
   */
  public static ofRules(name: string, rules: PolicyRule[]): AccountRole {
    return new AccountRole({
      name,
      rules: (POLICY_RULES.write(rules, false) as readonly DriverGrant[] | undefined) ?? [],
    });
  }

  private static ofPreset(name: string, preset: VmPreset): AccountRole {
    const rules = vmPresetRules(preset);
    const isClusterScoped = ({ apiGroups }: DriverGrant) => apiGroups.includes('storage.k8s.io');
    return new AccountRole({
      name,
      rules: rules.filter((rule) => !isClusterScoped(rule)),
      everywhere: rules.filter(isClusterScoped),
    });
  }

  declare private readonly nominal: true;

  private constructor(
    /** @internal */
    public readonly _parts: RoleParts,
  ) {}
}

/** Properties of a ServiceAccount with a kubeconfig. */
export interface ServiceAccountKubeconfigProps extends ResourceOptions {
  /**
   * The namespace of the ServiceAccount and of the Secret with its token, and of the kubeconfig's
   * context. Users who can read Secrets there have the permissions of the account.
   */
  readonly namespace: INamespace;
  /** The permissions of the account in its namespace. @default - none; see grant */
  readonly roles?: AccountRole[];
  /** The name of the ServiceAccount: an RFC 1123 label. @default - the path of the construct below its target chart, as for other constructs */
  readonly name?: string;
  /** The name of the Secret with the token. @default - `<name>-token` */
  readonly tokenSecretName?: string;
  /**
   * The URL of Harvester's Kubernetes API, as those who use the kubeconfig reach it.
   * @default - `https://<management address>:6443`; a late value if the Harvester chart has no address
   */
  readonly server?: string;
}

/**
 * A ServiceAccount on a Harvester with the least permissions for a tenant or a tool, and its
 * kubeconfig.
 *
 * The token does not expire: delete the Secret with the token to revoke it, and a new one is
 * created at the next apply. The kubeconfig connects to the API of Harvester directly, not through
 * Rancher. An engine that runs on the Harvester uses the ServiceAccount, or refers to the Secret
 * with the token by its name; for one that runs elsewhere, `KubeconfigSecret` writes the kubeconfig
 * there.
 *
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#serviceaccount-token-secrets
 * @example
 * const account = new ServiceAccountKubeconfig(dc1, 'ci', {
 *   namespace: new HarvesterNamespace(dc1, 'payments-vms'),
 *   roles: [AccountRole.vmCreator()],
 * });
 * account.grant(AccountRole.imageUser(), HarvesterNamespace.fromName(dc1, 'images', { name: 'shared-images' }));
 */
export class ServiceAccountKubeconfig extends NamespacedHarvesterResource {
  /** The name of the Secret with the token: keys `token`, `ca.crt` and `namespace`. */
  public readonly tokenSecretName: string;
  private readonly account: AccountKubeconfig;

  constructor(scope: Construct, id: string, props: ServiceAccountKubeconfigProps) {
    super(scope, id, props);
    this.tokenSecretName = objectName(
      this,
      props.tokenSecretName ?? safeConcatName(this.name, 'token'),
      'tokenSecretName',
    );
    const { roles = [] } = props;
    failOnErrors(this, [
      ...checkServer(props.server, this.harvester),
      ...(this.namespace !== HARVESTER_PUBLIC
        ? []
        : [
            {
              path: 'namespace',
              value: HARVESTER_PUBLIC,
              message:
                'cannot be the namespace whose Secrets every user can read: each would have the permissions of the account',
              fix: 'use another namespace',
            },
          ]),
      ...roles.flatMap((role, index) => checkRole(`roles[${index}]`, role)),
    ]);
    this.account = new AccountKubeconfig(this, 'Account', {
      name: this.name,
      namespace: this.namespace,
      tokenSecret: this.tokenSecretName,
      cluster: this.harvester.targetName,
      context: this.name,
      contextNamespace: this.namespace,
      server: props.server,
      labels: props.labels,
      annotations: props.annotations,
      deletionReason: `users of the kubeconfig of ServiceAccount ${this.name} can no longer log in`,
    });
    this._adopt(this.account.serviceAccount);
    for (const role of roles) {
      this.grant(role, props.namespace);
    }
  }

  /** The kubeconfig, which is known once the Secret with the token is live. */
  public get kubeconfig(): SecretValue {
    return this.account.kubeconfig;
  }

  /** @internal */
  public _nameOf({ name }: ResourceProps): string {
    return labelName(this, name, 'ci');
  }

  /**
   * Grants a role in a namespace. A preset also grants what it needs of cluster-scoped objects,
   * e.g. to see storage classes.
   *
   * @param namespace a namespace on the same Harvester
   */
  public grant(role: AccountRole, namespace: INamespace): void {
    const { name, rules, everywhere = [], clusterRole } = role._parts;
    const place = objectNamespace(this, this.harvester, namespace);
    const id = `${name}-${place}`;
    failOnErrors(this, [
      ...checkRole('role', role),
      ...(this.account.node.tryFindChild(`${id}Binding`) === undefined
        ? []
        : [
            {
              path: 'role',
              value: name,
              message: `cannot be granted twice in namespace ${place}`,
              fix: 'remove one of the two',
            },
          ]),
    ]);
    const own = safeConcatName(this.name, name);
    // a binding in another namespace has a name that no account of another namespace has
    const there = place === this.namespace ? own : safeConcatName(this.namespace, own);
    const written =
      clusterRole === undefined
        ? this.account.grant(id, there, rules ?? [], place)
        : [this.account.bind(`${id}Binding`, there, place, clusterRole)];
    for (const object of written) {
      Ordering.of(object)._add(namespace, OrderingType.APPLIED);
    }
    const wide = `${name}-everywhere`;
    if (everywhere.length === 0 || this.account.node.tryFindChild(`${wide}Role`)) {
      return;
    }
    this.account.grantEverywhere(wide, safeConcatName(this.namespace, own), everywhere);
  }
}

function checkRole(path: string, { _parts }: AccountRole): Problem[] {
  const { name, rules, clusterRole } = _parts;
  return [
    ...(clusterRole !== undefined || RFC1123_LABEL.test(name)
      ? []
      : [rfc1123LabelProblem(`${path}.name`, name)]),
    ...(rules === undefined ? [] : checkPolicyRules(`${path}.rules`, rules, true)),
    ...(rules?.length === 0
      ? [
          {
            path: `${path}.rules`,
            message: 'cannot be empty: the role has no permissions',
            fix: 'add a rule',
          },
        ]
      : []),
  ];
}

/** Properties of a Secret with a kubeconfig. */
export interface KubeconfigSecretProps extends ResourceProps {
  /** The kubeconfig: of a `ServiceAccountKubeconfig`, or `GuestCluster.kubeconfig`. */
  readonly kubeconfig: SecretValue;
  /** The namespace of the Secret, e.g. `flux-system`, on the cluster of the construct. */
  readonly namespace: INamespace;
  /** The key of the kubeconfig. @default 'value', which Flux reads */
  readonly key?: string;
}

/**
 * A Secret with a kubeconfig on any cluster of the program, for a tool or a GitOps engine that runs
 * there.
 *
 * A kubeconfig that only a live cluster knows is a late value: `apply` writes the Secret, and a
 * GitOps engine cannot.
 *
 * @see https://fluxcd.io/flux/components/kustomize/kustomizations/#kubeconfig-reference
 * @example
 * const account = new ServiceAccountKubeconfig(dc1, 'flux', { namespace: new HarvesterNamespace(dc1, 'delivery'), roles: [AccountRole.vmCreator()] });
 * new KubeconfigSecret(rancher, 'dc1-kubeconfig', {
 *   kubeconfig: account.kubeconfig, namespace: RancherNamespace.fromName(rancher, 'flux', { name: 'flux-system' }),
 * });
 */
export class KubeconfigSecret extends Resource {
  /** The name of its namespace. */
  public readonly namespace: string;

  constructor(scope: Construct, id: string, props: KubeconfigSecretProps) {
    super(scope, id, props);
    const { key = 'value' } = props;
    this.namespace = namespaceOf(
      this,
      this.target,
      props.namespace,
      'fromName of GuestNamespace, HarvesterNamespace or RancherNamespace',
    );
    failOnErrors(
      this,
      /^[-._a-zA-Z0-9]{1,253}$/.test(key)
        ? []
        : [
            {
              path: 'key',
              value: key,
              message: 'must be a key of a Secret',
              fix: 'use letters, digits, hyphens, dots and underscores',
            },
          ],
    );
    const kubeconfig = parsed(this, 'kubeconfig', () => props.kubeconfig._base64());
    this._write(
      {
        apiVersion: API_VERSIONS.CORE,
        kind: 'Secret',
        metadata: { namespace: this.namespace },
        type: 'Opaque',
        data: { [key]: kubeconfig },
      },
      { deletion: 'kubeconfig' },
    );
  }

  /** @internal */
  public _requireTarget(): ITarget {
    return (
      targetOf(this) ??
      fail(this, [
        {
          path: '',
          message: 'KubeconfigSecret must be in a target chart',
          fix: 'create it in the chart of a cluster',
        },
      ])
    );
  }
}

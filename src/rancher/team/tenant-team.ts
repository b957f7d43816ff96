import { ApiObject, ApiObjectProps } from 'cdk8s';
import { Construct } from 'constructs';
import { ISOLATION_POLICY, isolationSpec } from './isolation.facts';
import { checkTeamCidrs, checkVlans } from './team-networks';
import { VmQuota, VmQuotaItem } from './vm-quota';
import {
  ResourceGroup,
  ResourceOptions,
  ResourceProps,
  TextMap,
  defaultName,
} from '../../core/app/resource';
import { OrderingType, Ordering } from '../../core/construct/edge';
import { note } from '../../core/construct/object-notes';
import { own } from '../../core/construct/ownership';
import {
  INamespace,
  rancherTargetOf,
  IHarvesterTarget,
  IRancherTarget,
  TargetKind,
  chartOf,
} from '../../core/construct/target';
import { requireOpen } from '../../core/growing/synthesized';
import { Problem, collectProblems, fail, failOnErrors, withPart } from '../../core/problem/problem';
import { SecretValue } from '../../core/value/secret-value';
import {
  AccountRole,
  ServiceAccountKubeconfig,
} from '../../harvester/account/service-account-kubeconfig';
import { IClusterNetwork } from '../../harvester/cluster-network/cluster-network-ref';
import { checkSameHarvester } from '../../harvester/harvester-object';
import { IVmNetwork, VmNetwork, VmNetworkRoute } from '../../harvester/network/vm-network';
import { checkSameRancher } from '../binding/binding';
import { IManagedCluster } from '../cluster/managed-cluster';
import { Principal } from '../members/principal';
import {
  ITenantProject,
  ProjectMember,
  TenantNamespaceOptions,
  TenantNamespaceProps,
} from '../project/tenant-namespace';
import { TenantProject } from '../project/tenant-project';
import { Quota } from '../quota/quota';
import { IRoleTemplate, RoleTemplate } from '../role/role-template';
import { ProjectMemberRole } from '../role/roles';

/**
 * Properties of a project with shared images. Labels and annotations are those of the project, its
 * bindings, its namespace, and the role.
 */
export interface SharedImagesProps extends ResourceProps {
  /** The cluster of the project: an imported Harvester, whose chart the program has. */
  readonly cluster: IManagedCluster;
  /** The name that Rancher's UI shows. @default - the name */
  readonly displayName?: string;
  /** The Namespace with the images. @default - one with the name of the project */
  readonly imagesNamespace?: TenantNamespaceProps;
  /**
   * Users and groups that use the images.
   * @default - none; see grant, and the prop images of TenantTeam
   */
  readonly users?: Principal[];
  /**
   * The role of the users: a RoleTemplate of context project.
   * @default - a RoleTemplate of `RoleTemplate.imageUser` with the name `<name>-user`
   */
  readonly role?: IRoleTemplate;
}

/**
 * A project of a Harvester whose images, templates and networks other tenants use but cannot
 * change.
 *
 * Users with this permission see images, templates, networks and storage classes, and can create
 * virtual machines from them in the namespaces of their own projects. They see no Secrets, unlike
 * those with the role `read-only`. The namespace `harvester-public` shares with every logged-in
 * user instead.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/virtualization-management
 * @example
 * const images = new SharedImages(rancher, 'shared-images', {
 *   cluster: harvester, users: [Principal.groupOf(AuthProvider.OKTA, 'payments')],
 * });
 * VmImage.download(dc1, 'ubuntu', {
 *   namespace: images.namespace, url: 'https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img',
 * });
 */
export class SharedImages extends ResourceGroup {
  /** The project. */
  public readonly project: ITenantProject;
  /** The namespace for images, templates and networks. */
  public readonly namespace: INamespace;
  /** The role of the users. */
  public readonly role: IRoleTemplate;
  private readonly users = new Set<string>();

  constructor(scope: Construct, id: string, props: SharedImagesProps) {
    super(scope, id, props);
    const {
      cluster,
      name = defaultName(this),
      displayName,
      labels,
      annotations,
      imagesNamespace: namespace = { name },
      users = [],
    } = props;
    const common = { labels, annotations };
    this.project = new TenantProject(this, 'Project', {
      cluster,
      name,
      displayName,
      tenantNamespaces: [withOptions(namespace, common)],
      ...common,
    });
    this.role =
      props.role ?? RoleTemplate.imageUser(this, 'Role', { name: `${name}-user`, ...common });
    this.namespace = this.project.declaredNamespace(namespace.name);
    for (const user of users) {
      this.grant(user);
    }
  }

  /** @internal */
  public _requireTarget(): IRancherTarget {
    return rancherTargetOf(this, 'SharedImages');
  }

  /**
   * Lets a user or group use the images. Has no effect if they are users already: several teams may
   * have a member in common.
   */
  public grant(principal: Principal): void {
    if (this.users.has(principal.principalId)) {
      return;
    }
    this.users.add(principal.principalId);
    this.project.grant(ProjectMember.of(principal, ProjectMemberRole.template(this.role)));
  }
}

/**
 * A namespace with the labels and annotations of the construct that declares it, where it does not
 * set them.
 */
function withOptions(
  namespace: TenantNamespaceProps,
  { labels, annotations }: ResourceOptions,
): TenantNamespaceProps {
  return {
    ...namespace,
    labels: both(labels, namespace.labels),
    annotations: both(annotations, namespace.annotations),
  };
}

function both(common: TextMap | undefined, single: TextMap | undefined): TextMap | undefined {
  return common && single ? { ...common, ...single } : (single ?? common);
}

/** A VLAN network of a team. */
export interface TeamNetwork {
  /** The name of the NetworkAttachmentDefinition. */
  readonly name: string;
  /** The cluster network that the VLAN is on, e.g. `ClusterNetwork.mgmt(dc1)`. */
  readonly clusterNetwork: IClusterNetwork;
  /** The VLAN: 1 to 4094. No other team has it in the same cluster network. */
  readonly vlan: number;
  /** The source of CIDR and gateway. @default - Harvester does not know them */
  readonly route?: VmNetworkRoute;
}

/** Roles of the members of teams, if they are not those of the library. */
export interface TeamRoles {
  /**
   * The role of `creators`.
   * @default - RoleTemplate `vm-creator` of `RoleTemplate.vmCreator`, one for all teams
   */
  readonly creators?: IRoleTemplate;
  /**
   * The role of `operators`.
   * @default - RoleTemplate `vm-operator` of `RoleTemplate.vmOperator`, one for all teams
   */
  readonly operators?: IRoleTemplate;
  /**
   * The role of `viewers`.
   * @default - RoleTemplate `vm-viewer` of `RoleTemplate.vmViewer`, one for all teams
   */
  readonly viewers?: IRoleTemplate;
}

/**
 * Properties of a team. Labels and annotations are those of all that is the team's alone: not of
 * its roles, which all teams share.
 */
export interface TenantTeamProps extends ResourceProps {
  /** The cluster: an imported Harvester, whose chart the program has. */
  readonly cluster: IManagedCluster;
  /** The name that Rancher's UI shows. @default - the name */
  readonly displayName?: string;
  /**
   * Its namespaces; networks and the account are in the first one.
   * @default - one namespace with the name of the project
   */
  readonly tenantNamespaces?: TenantNamespaceProps[];
  /** Users and groups that own the project, and manage its members. @default - no owners */
  readonly owners?: Principal[];
  /** Users and groups that create virtual machines. @default - no creators */
  readonly creators?: Principal[];
  /**
   * Users and groups that start and stop virtual machines, and open their consoles.
   * @default - no operators
   */
  readonly operators?: Principal[];
  /** Users and groups that view virtual machines, but no Secrets. @default - no viewers */
  readonly viewers?: Principal[];
  /** The roles of creators, operators and viewers. @default - the roles of this library */
  readonly roles?: TeamRoles;
  /**
   * All virtual machines that may run at the same time: the quota of the project is the smallest
   * that fits them.
   * @default - only `quota`
   */
  readonly machines?: VmQuotaItem[];
  /**
   * Quota of the project, in addition to that of `machines`, whose resources it overrides.
   * @default - only that of `machines`
   */
  readonly quota?: Quota;
  /**
   * Default quota of a namespace, required with several namespaces and a quota.
   * @default - the quota of the project
   */
  readonly namespaceQuota?: Quota;
  /** VLAN networks of the team, in its first namespace. @default - no networks */
  readonly teamNetworks?: TeamNetwork[];
  /**
   * Whether a NetworkPolicy in each namespace refuses connections from the namespaces of other
   * teams, as project network isolation of Rancher does. It applies to pods and to virtual machines
   * on the management network. VLANs isolate machines on VLAN networks.
   * @default true
   */
  readonly networkIsolation?: boolean;
  /**
   * Networks in CIDR notation that may connect nevertheless, e.g. those of clients of a load
   * balancer on the management network.
   * @default - only the namespaces of the project, and of Harvester itself
   */
  readonly allowedCidrs?: string[];
  /**
   * Images that owners, creators and the account of the team can use.
   * @default - only images in its own namespaces, and in `harvester-public`
   */
  readonly images?: SharedImages;
  /**
   * Permissions of an account for tools of the team, in all its namespaces, e.g.
   * `AccountRole.vmCreator()`.
   * @default - no account
   */
  readonly accountRole?: AccountRole;
  /**
   * The URL of Harvester's Kubernetes API for the account.
   * @default - `https://<management address>:6443`
   */
  readonly server?: string;
}

/**
 * A team on a Harvester: a project with namespaces, roles for virtual machines, a quota that fits
 * its machines, VLAN networks, network isolation, and an account for its tools.
 *
 * It consists of `TenantProject`, `RoleTemplate`, `VmQuota`, `VmNetwork`, `ServiceAccountKubeconfig`
 * and NetworkPolicies; use these for what it lacks.
 *
 * @see https://docs.harvesterhci.io/latest/rancher/virtualization-management
 * @example
 * const team = new TenantTeam(rancher, 'payments', {
 *   cluster: harvester,
 *   owners: [Principal.groupOf(AuthProvider.OKTA, 'payments-leads')],
 *   creators: [Principal.groupOf(AuthProvider.OKTA, 'payments')],
 *   machines: [{ cpus: 4, memory: Size.gibibytes(16), storage: Size.gibibytes(100), count: 3 }],
 *   teamNetworks: [{ name: 'payments', clusterNetwork: ClusterNetwork.mgmt(dc1), vlan: 110 }],
 *   accountRole: AccountRole.vmCreator(),
 * });
 * new KubeconfigSecret(rancher, 'payments-kubeconfig', { kubeconfig: team.kubeconfig!, namespace: RancherNamespace.fromName(rancher, 'flux', { name: 'flux-system' }) });
 */
export class TenantTeam extends ResourceGroup {
  /** The project. */
  public readonly project: TenantProject;
  /** The namespaces of the team. */
  public readonly namespaces: INamespace[];
  /** The networks of the team, in the order of the props. */
  public readonly networks: IVmNetwork[];
  /** The account for tools; undefined without `accountRole`. */
  public readonly account?: ServiceAccountKubeconfig;
  private readonly below: Construct;
  private readonly props: TenantTeamProps;

  constructor(scope: Construct, id: string, props: TenantTeamProps) {
    super(scope, id, props);
    const {
      name = defaultName(this),
      tenantNamespaces = [{ name }],
      teamNetworks = [],
      networkIsolation = true,
      allowedCidrs = [],
      owners = [],
      images,
    } = props;
    const harvester = harvesterOf(this, props.cluster);
    collectProblems(this, [
      ...checkNamespaces(tenantNamespaces),
      ...checkImages(images, harvester),
      ...checkRoles(props, this.target as IRancherTarget),
      ...checkTeamCidrs(allowedCidrs, networkIsolation),
      ...checkVlans(harvester, teamNetworks, this),
    ]);
    this.project = withPart(this, () => this.makeProject(name, tenantNamespaces, props));
    failOnErrors(this);
    this.namespaces = tenantNamespaces.map((namespace) =>
      this.project.declaredNamespace(namespace.name),
    );
    for (const owner of owners) {
      this.project.grant(ProjectMember.owner(owner));
    }
    this.addMembers(props);
    const chart = chartOf(harvester);
    const below = own(this, new Construct(chart, idBelow(chart, name)));
    this.networks = [];
    for (const network of teamNetworks) {
      this.writeNetwork(below, network);
    }
    if (networkIsolation) {
      for (const namespace of this.namespaces) {
        this.isolate(below, namespace, allowedCidrs);
      }
    }
    for (const principal of [...owners, ...(props.creators ?? [])]) {
      images?.grant(principal);
    }
    if (props.accountRole) {
      this.account = this.addAccount(below, `${name}-tools`, props.accountRole, props);
    }
    this.below = below;
    this.props = props;
  }

  /**
   * Creates one more namespace of the team, with its network isolation and the permissions of its
   * account.
   *
   * @param name at most 63 characters of a-z, 0-9 and hyphens, unique on the Harvester
   */
  public addNamespace(name: string, options: TenantNamespaceOptions = {}): INamespace {
    const {
      labels,
      annotations,
      networkIsolation = true,
      allowedCidrs = [],
      accountRole,
    } = this.props;
    const namespace = this.project.addNamespace(
      name,
      withOptions({ ...options, name }, { labels, annotations }),
    );
    this.namespaces.push(namespace);
    if (networkIsolation) {
      this.isolate(this.below, namespace, allowedCidrs);
    }
    if (accountRole) {
      this.account!.grant(accountRole, namespace);
    }
    return namespace;
  }

  /** Creates one more network of the team, in its first namespace. */
  public addNetwork(network: TeamNetwork): IVmNetwork {
    requireOpen(this, 'addNetwork');
    failOnErrors(this, checkVlans(harvesterOf(this, this.props.cluster), [network], this));
    return this.writeNetwork(this.below, network);
  }

  /**
   * The kubeconfig of the account, which only the live Harvester knows; undefined without
   * `accountRole`.
   */
  public get kubeconfig(): SecretValue | undefined {
    return this.account?.kubeconfig;
  }

  /** @internal */
  public _requireTarget(): IRancherTarget {
    return rancherTargetOf(this, 'TenantTeam');
  }

  private makeProject(
    name: string,
    namespaces: readonly TenantNamespaceProps[],
    props: TenantTeamProps,
  ): TenantProject {
    const { labels, annotations, machines, quota } = props;
    const common = { labels, annotations };
    const vmQuota = machines && VmQuota.forVirtualMachines(machines);
    return new TenantProject(this, 'Project', {
      cluster: props.cluster,
      name,
      displayName: props.displayName,
      tenantNamespaces: namespaces.map((namespace) => withOptions(namespace, common)),
      quota: vmQuota || quota ? { ...vmQuota, ...quota } : undefined,
      namespaceQuota: props.namespaceQuota,
      ...common,
    });
  }

  private writeNetwork(
    below: Construct,
    { name, clusterNetwork, vlan, route }: TeamNetwork,
  ): IVmNetwork {
    const network = new VmNetwork(below, name, {
      name,
      namespace: this.namespaces[0],
      clusterNetwork,
      vlan,
      route,
      labels: this.labels,
      annotations: this.annotations,
    });
    this.networks.push(network);
    return network;
  }

  private addMembers({
    creators = [],
    operators = [],
    viewers = [],
    roles = {},
  }: TenantTeamProps): void {
    const groups = [
      {
        principals: creators,
        declared: roles.creators,
        make: RoleTemplate.vmCreator,
        name: 'vm-creator',
      },
      {
        principals: operators,
        declared: roles.operators,
        make: RoleTemplate.vmOperator,
        name: 'vm-operator',
      },
      {
        principals: viewers,
        declared: roles.viewers,
        make: RoleTemplate.vmViewer,
        name: 'vm-viewer',
      },
    ];
    for (const { principals, declared, make, name } of groups.filter(
      (group) => group.principals.length > 0,
    )) {
      // one for all teams: RoleTemplates are cluster-scoped
      const chart = chartOf(this.target);
      const id = `TenantTeam-${name}`;
      const role =
        declared ??
        (chart.node.tryFindChild(id) as RoleTemplate | undefined) ??
        make(chart, id, { name });
      for (const principal of principals) {
        this.project.grant(ProjectMember.of(principal, ProjectMemberRole.template(role)));
      }
    }
  }

  private addAccount(
    below: Construct,
    name: string,
    role: AccountRole,
    props: TenantTeamProps,
  ): ServiceAccountKubeconfig {
    const { images, server, labels, annotations } = props;
    const [first, ...others] = this.namespaces;
    const account = new ServiceAccountKubeconfig(below, 'Account', {
      name,
      namespace: first,
      roles: [role],
      server,
      labels,
      annotations,
    });
    for (const namespace of others) {
      account.grant(role, namespace);
    }
    if (images) {
      account.grant(AccountRole.imageUser(), images.namespace);
    }
    return account;
  }

  private isolate(scope: Construct, namespace: INamespace, cidrs: readonly string[]): void {
    const policy = new ApiObject(scope, `Isolation-${namespace.name}`, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: this._metadata({ name: ISOLATION_POLICY, namespace: namespace.name }),
      spec: isolationSpec(this.project.name, cidrs),
    } as ApiObjectProps);
    note(policy, { deletion: 'tenant' });
    Ordering.of(policy)._add(namespace, OrderingType.APPLIED);
  }
}

function checkNamespaces(namespaces: readonly TenantNamespaceProps[]): Problem[] {
  if (namespaces.length > 0) {
    return [];
  }
  return [
    {
      path: 'tenantNamespaces',
      message: 'cannot be empty: no user can create a virtual machine',
      fix: 'add a namespace',
    },
  ];
}

function checkImages(
  images: TenantTeamProps['images'],
  harvester: IHarvesterTarget,
): readonly Problem[] {
  if (!images) {
    return [];
  }
  const { name, target } = images.namespace;
  return checkSameHarvester('images', name, target as IHarvesterTarget, harvester);
}

function checkRoles({ roles = {} }: TenantTeamProps, rancher: IRancherTarget): readonly Problem[] {
  return Object.entries(roles).flatMap(([prop, role]) =>
    checkSameRancher(`roles.${prop}`, role as IRoleTemplate, rancher),
  );
}

function harvesterOf(
  team: Construct,
  { _clusterTarget: target, node }: IManagedCluster,
): IHarvesterTarget {
  if (target?.targetKind !== TargetKind.HARVESTER) {
    fail(team, [
      {
        path: 'cluster',
        value: node.path,
        message: 'must be an imported Harvester whose chart the program has',
        fix: 'pass a HarvesterImport, or use TenantProject',
      },
    ]);
  }
  return target as IHarvesterTarget;
}

/**
 * The ID of the construct with what a team has on its Harvester. Two teams of one name are reported
 * by what both declare.
 */
function idBelow(chart: Construct, name: string): string {
  const id = `TenantTeam-${name}`;
  const others = chart.node.children.filter((child) => child.node.id.startsWith(id)).length;
  return chart.node.tryFindChild(id) ? `${id}-${others}` : id;
}

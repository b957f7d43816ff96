import { Construct } from 'constructs';
import { INamespace, rancherTargetOf } from '../../core/app/target';
import { IManagedCluster } from '../cluster/managed-cluster';
import { Principal } from '../members/principal';
import { ITenantProject, ProjectMember } from '../project/tenant-namespace';
import { TenantProject } from '../project/tenant-project';
import { ProjectRole } from '../role/bindable-role';
import { IRoleTemplate, RoleTemplate } from '../role/role-template';

/**
 * Properties of a project with shared images.
 */
export interface SharedImagesProps {
  /** The cluster of the project: an imported Harvester, whose chart the program has. */
  readonly cluster: IManagedCluster;
  /** The name of the Project object. @default - the ID of the construct */
  readonly name?: string;
  /** The name that Rancher's UI shows. @default - the name */
  readonly displayName?: string;
  /** The name of the Namespace with the images. @default - the name of the project */
  readonly namespaceName?: string;
  /** Users and groups that use the images. @default - none; see addUser, and the prop images of TenantTeam */
  readonly users?: Principal[];
  /**
   * The role of the users: a RoleTemplate of context project.
   * @default - a RoleTemplate of `RoleTemplate.imageUser` with the name `<name>-user`
   */
  readonly role?: IRoleTemplate;
}

/**
 * A project of a Harvester whose images, templates and networks other tenants use but cannot change.
 *
 * Its users see images, templates, networks and storage classes, and can create virtual machines from them in the namespaces of their own projects.
 * They see no Secrets, unlike those with the role `read-only`. The namespace `harvester-public` shares with every logged-in user instead.
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
export class SharedImages extends Construct {
  /** The project. */
  public readonly project: ITenantProject;
  /** The namespace for images, templates and networks. */
  public readonly namespace: INamespace;
  /** The role of the users. */
  public readonly role: IRoleTemplate;
  private readonly users = new Set<string>();

  constructor(scope: Construct, id: string, props: SharedImagesProps) {
    super(scope, id);
    rancherTargetOf(this, 'SharedImages');
    const { cluster, name = id, displayName, namespaceName = name, users = [] } = props;
    this.project = new TenantProject(this, 'Project', { cluster, name, displayName, namespaces: [namespaceName] });
    this.role = props.role ?? RoleTemplate.imageUser(this, 'Role', { name: `${name}-user` });
    this.namespace = this.project.namespace(namespaceName);
    for (const user of users) { this.addUser(user); }
  }

  /**
   * Lets a user or group use the images. Has no effect if they are users already: several teams may have a member in common.
   *
   * @param principal the user or group
   */
  public addUser(principal: Principal): void {
    if (this.users.has(principal.principalId)) { return; }
    this.users.add(principal.principalId);
    this.project.addMember(ProjectMember.custom(ProjectRole.fromTemplate(this.role), principal));
  }
}

/** Who may do what where: what the bindings of a program add up to. */
export interface AccessMatrix {
  readonly schemaVersion: '1';
  readonly entries: readonly AccessEntry[];
  /** What could not be told, e.g. roles that are not known. */
  readonly notes: readonly string[];
}

/** One person or group at one place. */
export interface AccessEntry {
  readonly who: Subject;
  readonly where: Place;
  /** The roles by which they are there. */
  readonly roles: readonly HeldRole[];
  readonly may: readonly Right[];
}

export interface Subject {
  readonly kind: 'user' | 'group' | 'everybody' | 'service account';
  /** The principal id, e.g. `local://u-ana`. */
  readonly principal: string;
  /** The name that people know. */
  readonly name: string;
}

export interface Place {
  /** Rancher itself, a namespace of Rancher, a cluster, a project with its namespaces, namespaces of a cluster. */
  readonly kind: 'rancher' | 'rancher namespace' | 'cluster' | 'project' | 'namespace';
  readonly name: string;
  /** The management cluster id. */
  readonly cluster?: string;
  readonly clusterName?: string;
  /** The project's id, `<cluster id>:<project>`. */
  readonly project?: string;
  /** The namespaces that it is about. @default - all that there are */
  readonly namespaces?: readonly string[];
}

export interface HeldRole {
  readonly id: string;
  readonly name: string;
  /** The binding, as `Kind namespace/name`. */
  readonly binding: string;
}

export type Level = 'all' | 'read' | 'some' | 'yes';

/** What somebody may do with one kind of object. */
export interface Right {
  /** Id of the permission. */
  readonly permission: string;
  readonly label: string;
  readonly group: string;
  readonly resource: string;
  /** How much it is: everything, reading alone, other verbs, or the one action that it is about. */
  readonly level: Level;
  /** Sorted; `*` alone is every verb. */
  readonly verbs: readonly string[];
  /** The roles that give it. */
  readonly through: readonly string[];
  /** Names of the objects, where it is not for all. */
  readonly names?: readonly string[];
  /** Why it is not sure. */
  readonly unconfirmed?: string;
}

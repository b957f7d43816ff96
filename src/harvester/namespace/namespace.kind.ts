/** The namespace that every user of a Harvester can read, for shared images, networks and keys. @see harvester/harvester:deploy/charts/harvester */
export const HARVESTER_PUBLIC = 'harvester-public';

/** The namespace of objects that name none. */
export const DEFAULT_NAMESPACE = 'default';

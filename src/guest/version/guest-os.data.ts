/** A guest operating system that machines of new Kubernetes releases cannot run. */
interface GuestSystem {
  readonly name: string;
  /** Matches the file name or display name of its cloud images. */
  readonly image: RegExp;
}

/** The first Kubernetes minor line whose kubelet does not start on a node with cgroup v1 (failCgroupV1 is true by default). */
export const FIRST_WITHOUT_CGROUP_V1 = 35;

/** The kubelet argument that lets it start there nevertheless. */
export const ALLOW_CGROUP_V1 = 'fail-cgroupv1=false';

/** A kernel argument that switches systemd to cgroup v2. */
export const UNIFIED_CGROUP = 'systemd.unified_cgroup_hierarchy';

export const CGROUP_SOURCE = 'kubernetes/kubernetes#134298 (KEP-5573); kubernetes.io/docs/concepts/architecture/cgroups; seen with K3s 1.35.2 on Rocky Linux 8: NVIDIA/OpenShell#360';

/**
 * Operating systems that mount cgroup v1 by default. SUSE's support matrix could not be read, and RKE2 runs on every Linux with systemd and iptables
 * (docs.rke2.io/install/requirements), so only systems are listed on which Kubernetes itself does not start.
 */
export const CGROUP_V1_SYSTEMS: readonly GuestSystem[] = [
  { name: 'CentOS 7', image: /centos[-_ ]?(linux)?[-_ ]?7([-_. ]|$)/i },
  { name: 'Enterprise Linux 8', image: /(rocky|alma|almalinux|rhel|centos|centos[-_ ]?stream|ol|oraclelinux|oracle[-_ ]linux)[-_ ]?(linux)?[-_ ]?8([-_. ]|u\d|$)/i },
  { name: 'Ubuntu 18.04', image: /bionic|ubuntu[-_ ]?18\.04/i },
  { name: 'Ubuntu 20.04', image: /focal|ubuntu[-_ ]?20\.04/i },
  { name: 'Debian 10', image: /buster|debian[-_ ]?10([-_. ]|$)/i },
];

/** The tables behind `SupportMatrix`. Not exported by the folder. */

export const NODE_DRIVER_SOURCE = 'rancher/rancher pkg/data/management/machinedriver_data.go at every release tag';

/** The last minor line of Rancher that was read; the driver of later ones is inferred. */
export const NODE_DRIVER_READ_TO = '2.15';

/** The first Rancher with each node driver, up to the next one of the list. */
export const NODE_DRIVERS: readonly (readonly [rancher: string, driver: string])[] = [
  ['2.6.3', '0.3.4'], ['2.6.5', '0.4.0'], ['2.6.7', '0.5.0'], ['2.6.11', '0.6.2'],
  ['2.7.0', '0.5.0'], ['2.7.2', '0.6.3'], ['2.7.5', '0.6.5'], ['2.7.11', '0.6.7'],
  ['2.8.0', '0.6.5'], ['2.8.3', '0.6.7'], ['2.8.12', '0.7.1'], ['2.8.13', '0.7.2'],
  ['2.9.0', '0.6.7'], ['2.9.3', '0.7.0'], ['2.9.6', '0.7.1'], ['2.9.7', '0.7.2'],
  ['2.10.0', '0.7.0'], ['2.10.2', '0.7.1'], ['2.10.3', '0.7.2'],
  ['2.11.0', '1.0.2'], ['2.12.0', '1.0.3'], ['2.13.0', '1.0.4'], ['2.14.0', '1.0.6'],
];

export const HARVESTER_CHARTS_SOURCE = 'harvester/charts, branch release-v<minor>';

/** Minor line of Harvester: chart of the cloud provider, chart of the CSI driver. */
export const HARVESTER_CHARTS: readonly (readonly [string, string, string])[] = [
  ['1.4', '0.2.9', '0.1.22'],
  ['1.5', '0.2.10', '0.1.23'],
  ['1.6', '0.2.10', '0.1.24'],
  ['1.7', '0.2.11', '0.1.25'],
  ['1.8', '0.2.11', '0.1.25'],
  ['1.9', '0.2.12', '0.1.30'],
];

/** Chart of the cloud provider and the program in it, by the first chart of each. */
export const CLOUD_PROVIDER_APPS: readonly (readonly [string, string])[] = [
  ['0.2.2', 'v0.2.0'], ['0.2.7', 'v0.2.4'], ['0.2.11', 'v0.2.5'], ['0.2.12', 'v0.2.6'], ['0.2.13', 'v0.2.7'], ['0.2.15', 'v0.2.8'],
];

/** Chart of the CSI driver and the program in it, by the first chart of each. */
export const CSI_DRIVER_APPS: readonly (readonly [string, string])[] = [
  ['0.1.17', 'v0.1.6'], ['0.1.20', 'v0.2.1'], ['0.1.22', 'v0.2.2'], ['0.1.24', 'v0.2.3'], ['0.1.25', 'v0.2.4'], ['0.1.26', 'v0.2.6'],
  ['0.1.27', 'v0.2.7'], ['0.1.28', 'v0.2.8'], ['0.1.29', 'v0.2.9'],
];

/** The Rancher inside a release of Harvester. */
export interface EmbeddedRancherRow {
  readonly rancher: string;
  /** Whether the image rancher/rancher-agent of that version is in the ISO. */
  readonly agentImage: boolean;
}

export const EMBEDDED_RANCHER_SOURCE = 'harvester/upgrade-helpers manifests/image-lists; harvester/harvester#10007 for 1.6';

export const EMBEDDED_RANCHER: Record<string, EmbeddedRancherRow> = {
  '1.3.0': { rancher: '2.8.2', agentImage: false },
  '1.3.1': { rancher: '2.8.3', agentImage: false },
  '1.3.2': { rancher: '2.8.5', agentImage: false },
  '1.4.0': { rancher: '2.9.2', agentImage: false },
  '1.4.1': { rancher: '2.9.3', agentImage: true },
  '1.5.0': { rancher: '2.11.0', agentImage: true },
  '1.5.1': { rancher: '2.11.2', agentImage: true },
  '1.6.0': { rancher: '2.12.0', agentImage: false },
  '1.6.1': { rancher: '2.12.2', agentImage: false },
  '1.7.0': { rancher: '2.13.0', agentImage: true },
  '1.7.1': { rancher: '2.13.1', agentImage: true },
  '1.7.2': { rancher: '2.13.3', agentImage: true },
  '1.7.3': { rancher: '2.13.3', agentImage: true },
  '1.8.0': { rancher: '2.14.0', agentImage: true },
  '1.8.1': { rancher: '2.14.2', agentImage: true },
  '1.8.2': { rancher: '2.14.3', agentImage: true },
};

/** Which Rancher a minor line of Harvester asks for. */
export interface RancherForHarvesterRow {
  /** Minor line of Harvester. */
  readonly harvester: string;
  /** The first version of Rancher that its documentation names. */
  readonly from: string;
  /** The last minor line of Rancher that it was tested with. */
  readonly testedMinor: string;
  readonly source: string;
}

const EXTENSION = 'harvester/docs v1.8 rancher/harvester-ui-extension.md';

// The official pages below suse.com/suse-harvester/support-matrix could not be read: these rows stand on the documentation of
// Harvester (first version) and on the reports of its release tests (last line), so none of them is confirmed.
export const RANCHER_FOR_HARVESTER: readonly RancherForHarvesterRow[] = [
  { harvester: '1.2', from: '2.7.6', testedMinor: '2.8', source: 'release notes of Harvester v1.2.0; harvester/tests#1279' },
  { harvester: '1.3', from: '2.8.0', testedMinor: '2.10', source: 'harvester/docs v1.5 harvester-ui-extension.md; embedded Rancher 2.8' },
  { harvester: '1.4', from: '2.9.0', testedMinor: '2.10', source: 'harvester/docs v1.5 harvester-ui-extension.md; embedded Rancher 2.9' },
  { harvester: '1.5', from: '2.11.0', testedMinor: '2.12', source: `${EXTENSION}; harvester/tests#2132` },
  { harvester: '1.6', from: '2.12.0', testedMinor: '2.13', source: `${EXTENSION}; harvester/tests#2646` },
  { harvester: '1.7', from: '2.13.0', testedMinor: '2.14', source: `${EXTENSION}; harvester/tests#2687` },
  { harvester: '1.8', from: '2.14.0', testedMinor: '2.14', source: EXTENSION },
  { harvester: '1.9', from: '2.15.0', testedMinor: '2.15', source: 'harvester/harvester-ui-extension#982' },
];

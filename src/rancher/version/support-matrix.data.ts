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
interface EmbeddedRancherRow {
  readonly rancher: string;
  /** Whether the image rancher/rancher-agent of that version is in the ISO. */
  readonly agentImage: boolean;
}

/** The Rancher inside each release of Harvester. @see harvester/upgrade-helpers manifests/image-lists; harvester/harvester#10007 for 1.6 */
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
interface RancherForHarvesterRow {
  /** Minor line of Harvester. */
  readonly harvester: string;
  /** The first version of Rancher that its documentation names. */
  readonly from: string;
  /** The last minor line of Rancher that it was tested with. */
  readonly testedMinor: string;
  readonly source: string;
}

const EXTENSION = 'harvester/docs v1.8 rancher/harvester-ui-extension.md';

// The official pages below suse.com/suse-harvester/support-matrix could not be read: these rows are based on the documentation of
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

/**
 * The Fleet of each Rancher, `<rancher>=<fleet>` where the pair was read, `<rancher>~<fleet>` where it was inferred from the
 * date of the change that added that Fleet to the branch of that Rancher.
 *
 * Read: image lists of Harvester releases (harvester/upgrade-helpers manifests/image-lists), which hold the embedded Rancher
 * and its Fleet: 2.8.2, 2.8.3, 2.8.5, 2.9.2, 2.9.3, 2.11.0, 2.11.2, 2.12.0, 2.12.2, 2.13.0, 2.13.1, 2.13.3, 2.14.0, 2.14.2,
 * 2.14.3. build.yaml as quoted in public: 2.10.1 (suse-edge.github.io#520), 2.15.1. Running systems: 2.12.1, 2.12.3.
 *
 * @see https://github.com/rancher/rancher/blob/main/build.yaml
 */
export const FLEET_OF_RANCHER = `
  2.8.2=0.9.0 2.8.3=0.9.2 2.8.5=0.9.5
  2.9.2=0.10.2 2.9.3=0.10.4
  2.10.1=0.11.2
  2.11.0=0.12.0 2.11.1~0.12.2 2.11.2=0.12.3
  2.12.0=0.13.0 2.12.1=0.13.1 2.12.2=0.13.2 2.12.3=0.13.4 2.12.4~0.13.5 2.12.5~0.13.6 2.12.6~0.13.7 2.12.7~0.13.8 2.12.8~0.13.9
  2.12.9~0.13.10 2.12.10~0.13.11 2.12.11~0.13.13 2.12.12~0.13.14
  2.13.0=0.14.0 2.13.1=0.14.1 2.13.2~0.14.2 2.13.3=0.14.3 2.13.4~0.14.4 2.13.5~0.14.5 2.13.6~0.14.6 2.13.7~0.14.8 2.13.8~0.14.9
  2.13.9~0.14.10 2.13.10~0.14.11
  2.14.0=0.15.0 2.14.1~0.15.1 2.14.2=0.15.2 2.14.3=0.15.4 2.14.4~0.15.5 2.14.5~0.15.6
  2.15.0~0.16.0 2.15.1=0.16.1
`;

/** The minor line of Fleet in each minor line of Rancher. */
export const FLEET_LINES: Record<string, string> = {
  '2.8': '0.9', '2.9': '0.10', '2.10': '0.11', '2.11': '0.12', '2.12': '0.13', '2.13': '0.14', '2.14': '0.15', '2.15': '0.16',
};

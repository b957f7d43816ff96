/**
 * The Fleet of each Rancher, `<rancher>=<fleet>` where the pair was read, `<rancher>~<fleet>` where it was inferred from the
 * date of the change that brought that Fleet to the branch of that Rancher. Not exported by the folder.
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

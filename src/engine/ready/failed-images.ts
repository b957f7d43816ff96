import { groupOf, objectLabel } from '../../core/manifest/manifest';
import { GROUPS } from '../../core/manifest/names';
import { compare } from '../../core/text/values';
import { IMAGE_USERS, givenUp, usesImage } from '../../harvester/image/vm-image.kind';
import { LiveObject } from '../cluster/cluster';
import { missingMark } from '../inventory/apply-set';
import { Place, RunContext } from '../run/run-context';
import { ApiError } from '../transport/api';

/** The number of users that a message names. */
const MAX_NAMES = 5;

/**
 * Deletes an image whose download or upload Harvester has given up, so that the run creates it again. Throws `blocked` while it is being deleted, and an error
 * if something uses it, or another program made it.
 */
export async function deleteFailedImage(live: LiveObject, { cluster, target }: Place, id: string, run: RunContext): Promise<void> {
  const { apiVersion, kind, metadata: { namespace, name, uid, deletionTimestamp } } = live;
  const what = groupOf(apiVersion) === GROUPS.HARVESTER && kind === 'VirtualMachineImage' ? givenUp(live) : undefined;
  if (what === undefined || deletionTimestamp !== undefined) { return; }
  const refused = (why: string): Error => new Error(`its ${what} failed, and it cannot be recreated: ${why}`);
  const mark = missingMark(live, run.fields.fieldManager);
  if (mark !== undefined) { throw refused(`it ${mark}. Fix: delete it yourself if nothing uses it, then run apply again`); }
  const users = await usersOf(live, target.name, run);
  if (users.length > 0) {
    const more = users.length > MAX_NAMES ? `, and ${users.length - MAX_NAMES} more` : '';
    throw refused(`it is used by ${users.slice(0, MAX_NAMES).join(', ')}${more}. Fix: delete these first, or declare an image with another name and switch them to it`);
  }
  run.warn(`deletes ${objectLabel(live)}, whose ${what} failed, and creates it again`, target.name, id);
  await cluster.delete({ apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) }, uid, { signal: run.kill });
  throw new ApiError('blocked', `the image whose ${what} failed is being deleted`);
}

/** What uses an image: on its Harvester, and machine configurations on every Rancher of the program. */
async function usersOf(image: LiveObject, harvester: string, { open, stop: signal }: RunContext): Promise<string[]> {
  const lists = open.flatMap(({ target: { name, kind }, cluster }) => {
    const kinds = name === harvester ? IMAGE_USERS.harvester : kind === 'rancher' ? IMAGE_USERS.rancher : [];
    return kinds.map(async ([apiVersion, of]) => {
      const objects = await cluster.list(apiVersion, of, { signal });
      return objects.filter((object) => object.metadata.uid !== image.metadata.uid && usesImage(object, image))
        .map((object) => `${objectLabel({ ...object, apiVersion, kind: of })} on ${name}`);
    });
  });
  return (await Promise.all(lists)).flat().sort(compare);
}

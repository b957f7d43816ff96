import { describeFamily } from '../families/family';
import { IMAGES, MACHINES } from '../families/machines';

describeFamily(MACHINES);
describeFamily(IMAGES);

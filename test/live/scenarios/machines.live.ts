import { describeFamily } from '../families/family';
import { IMAGES, MACHINES, TEMPLATES } from '../families/machines';

describeFamily(MACHINES);
describeFamily(TEMPLATES);
describeFamily(IMAGES);

import { describeFamily } from '../families/family';
import { GUESTS } from '../families/guests';

describeFamily(GUESTS);
